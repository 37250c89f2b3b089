package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Received;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

/** Many tests at once with one mock: none disturbs another, and no name is that of another world. */
@InWorld(scenario = "onboarded")
class ManyWorldsTest {
    private static final int TESTS = 200;
    private static final Map<String, List<String>> SEEN = new ConcurrentHashMap<>();
    private static final Set<String> URLS = ConcurrentHashMap.newKeySet();

    @RepeatedTest(TESTS)
    void aTestHasAWorldForItself(World world, Webhooks webhooks) {
        String reference = webhooks.subscribe(world);
        world.request("POST", "/v1/advances", Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1"));
        Json event = webhooks.waitFor("partner.loan.created");
        assertEquals(2, world.journal().size());
        // Only its own webhooks have come.
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals(2, world.deliveries().size());
        assertEquals(2, webhooks.deliveries().size());
        List<String> names = new ArrayList<>(List.of(world.id(), world.key(), reference, event.text("id")));
        names.addAll(webhooks.secrets());
        names.addAll(webhooks.deliveries().stream().map(Received::delivery).toList());
        SEEN.put(world.id(), names);
        URLS.add(world.url());
    }

    @AfterAll
    static void noNameIsUsedTwice() {
        List<String> names = SEEN.values().stream().flatMap(List::stream).toList();
        assertEquals(TESTS * 7, names.size());
        assertEquals(TESTS * 7, new HashSet<>(names).size());
        assertEquals(1, URLS.size());
    }
}
