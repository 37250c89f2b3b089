package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Refused;
import tideover.Tideover.Unmet;
import tideover.Tideover.World;

/** What a client did of what the document asks of callers. */
@InWorld
class ConductTest {
    private static final Map<String, String> ACME = Map.of("legalName", "Acme");
    private static final String PATH = "/v1/organizations/acme";

    private static void failsOnce(World world, String when) {
        world.fault("upstreamFails", Map.of("when", when, "operation", "sync_business", "nth", 1));
        assertThrows(Refused.class, () -> world.request("PUT", PATH, ACME));
    }

    private static String state(Json conduct, String duty) {
        return conduct.items("rows").stream()
                .filter(row -> row.text("id").equals(duty))
                .findFirst()
                .orElseThrow()
                .text("state");
    }

    @Test
    void aRightClientPasses(World world) {
        assertEquals(0, world.conduct().number("counts.met"));
        failsOnce(world, "beforeCommit");
        world.advance(Duration.ofSeconds(1));
        world.request("PUT", PATH, ACME);
        assertEquals("met", state(world.conduct(), "backs-off"));
        world.assertGoodConduct();
    }

    @Test
    void aWrongClientFailsWithTheRowAndItsRequests(World world) {
        Map<String, Object> advance = Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1");
        assertThrows(Refused.class, () -> world.request("POST", "/v1/advances", advance));
        assertThrows(Refused.class, () -> world.request("POST", "/v1/advances", advance));
        Unmet failure = assertThrows(Unmet.class, world::assertGoodConduct);
        String[] parts = failure.getMessage().split("\n\n");
        assertEquals(2, parts.length, failure.getMessage());
        assertTrue(parts[0].startsWith("1 of ") && parts[0].contains("duties broken in world w"), parts[0]);
        String[] lines = parts[1].split("\n");
        assertTrue(lines[0].startsWith("changes-refused-request (7.retrying.2, §7 Retrying rule 2): "), lines[0]);
        assertTrue(lines[1].startsWith("    request 0: ") && lines[1].contains("POST /v1/advances -> 404"), lines[1]);
        assertTrue(lines[2].startsWith("    request 1: "), lines[2]);
        world.assertGoodConduct(List.of("changes-refused-request"));
        assertThrows(IllegalArgumentException.class, () -> world.assertGoodConduct(List.of("sleeps")));
    }

    @Test
    void aClientThatIsDoneHasNothingOpen(World world) {
        failsOnce(world, "afterCommit");
        assertEquals("notSeen", state(world.conduct(), "follows-up"));
        assertEquals("broken", state(world.finalConduct(), "follows-up"));
        assertThrows(Unmet.class, world::assertGoodConduct);
        world.request("GET", PATH);
        world.assertGoodConduct();
    }
}
