package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Mock;
import tideover.Tideover.Refused;
import tideover.Tideover.Unmet;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

/** What a test does with its world. */
@InWorld
class WorldTest {
    private static final Map<String, String> ADVANCE = Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1");
    private static final Map<String, String> ACME = Map.of("legalName", "Acme");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration NONE = Duration.ZERO;

    private static String state(World world) {
        return world.request("GET", "/v1/organizations/acme/invoices/INV-1").text("advance.state");
    }

    @Test
    void theOutsideWorldActs(World world) {
        world.request("PUT", "/v1/organizations/acme", ACME);
        world.request("POST", "/v1/invitations", Map.of("externalId", "acme", "email", "ada@acme.example"));
        world.vendorAcceptsInvitation("acme", "ada@acme.example");
        world.vendorConfirmsTaxId("acme", "W9_UPLOAD", "12-3456789");
        world.vendorConfirmsTaxId("acme", "W9_UPLOAD");
        world.vendorAddsBankAccount("acme", "000123456789", "021000021");
        world.vendorSignsAgreement(
                "acme", Map.of("line1", "1 Quay", "city", "Portland", "state", "OR", "postalCode", "97201"));
        world.collectionAccountOpens("acme");
        Json business = world.request("GET", "/v1/organizations/acme");
        assertEquals("W9_UPLOAD", business.text("complianceRoute"));
        for (String each : List.of("compliance", "contract", "bank", "collectionAccount")) {
            assertTrue(business.flag("onboarding." + each), each);
        }
        world.taxIdFoundWrong("acme");
        world.vendorConfirmsTaxId("acme", "VENDOR_ASSERTION", "98-7654321");
        world.markTestAccount("acme");
        assertEquals(Json.parse("{\"applied\":true}"), world.act("markTestAccount", Map.of("externalId", "acme")));
    }

    @Test
    void thereIsAMethodForEachAction(World world, Mock mock) {
        Set<String> methods = Arrays.stream(World.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
        for (Json each : new PortReader(mock.url()).read("/_sim/actions").items("actions")) {
            assertTrue(methods.contains((String) each.value()), each.toString());
        }
    }

    @Test
    @InWorld(scenario = "onboarded")
    void anAdvanceIsRepaid(World world) {
        assertEquals(List.of(), world.objections("acme", "INV-1"));
        assertFalse(world.request("POST", "/v1/advances", ADVANCE).flag("alreadyRequested"));
        world.fundingStarts("acme", "INV-1");
        assertEquals("FUNDING", state(world));
        world.fundingCompletes("acme", "INV-1");
        assertEquals(1_000_000, world.payorPays("acme", "INV-1", 1_000_000).number("applied"));
        assertEquals("REPAID", state(world));
        assertNotEquals(List.of(), world.objections("acme", "INV-1"));
    }

    @Test
    @InWorld(scenario = "onboarded")
    void timePassesWhenTheTestSaysSo(World world) {
        assertEquals(START, world.now());
        world.request("POST", "/v1/advances", ADVANCE);
        assertEquals(START.plusSeconds(29), world.advance(Duration.ofSeconds(29)));
        assertEquals("REQUESTED", state(world));
        assertEquals(START.plusSeconds(30), world.nextEvent());
        assertEquals("FUNDING", state(world));
        assertTrue(world.untilQuiet().isAfter(START.plusSeconds(3600)));
        assertEquals("FUNDED", state(world));
        Instant tomorrow = START.plus(Duration.ofDays(1));
        assertEquals(tomorrow, world.advanceTo(tomorrow));
        assertEquals(tomorrow, world.now());
        assertEquals(409, assertThrows(Refused.class, () -> world.advanceTo(START)).status());
    }

    @Test
    @InWorld(scenario = "onboarded", options = "{\"clock\":\"running\",\"speed\":10000}")
    void aClockCanRun(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        world.request("POST", "/v1/advances", ADVANCE);
        // An hour passes by itself.
        webhooks.waitFor("partner.loan.issued");
        assertTrue(world.now().isAfter(START));
    }

    @Test
    void aRefusalSaysWhy(World world) {
        Refused refused = assertThrows(Refused.class, () -> world.request("POST", "/v1/advances", ADVANCE));
        assertEquals(404, refused.status());
        assertEquals("business_not_found", refused.code());
        assertEquals("4.advances.5", refused.clause());
        assertEquals(
                "POST /v1/advances -> 404 business_not_found [4.advances.5]: " + refused.prose(), refused.getMessage());
        assertNull(assertThrows(Refused.class, () -> world.payorPays("acme", "INV-1", 1)).clause());
    }

    @Test
    void anOptionThatIsWrongIsRefused(Mock mock) {
        Refused refused = assertThrows(Refused.class, () -> mock.world(Map.of("scenario", "bogus")));
        assertTrue(refused.getMessage().contains("scenario: expected fresh, onboarded"), refused.getMessage());
    }

    @Test
    void aSpanThatIsWrongIsRefused(World world, Webhooks webhooks, Mock mock) {
        Duration negative = Duration.ofSeconds(-1);
        Map<String, Executable> wrong = Map.of(
                "advanceSeconds: expected a whole number, not negative, got -1",
                () -> world.advance(negative),
                "advanceSeconds: expected a whole number, not negative, got 0.5",
                () -> world.advance(Duration.ofMillis(500)),
                "No event has payeee. It may be about payee, invoice, state, ",
                () -> world.expectDelivery("partner.loan.paid", Map.of("payeee", "acme")),
                "The patience is negative: PT-1S",
                () -> world.waitForRequests(1, Map.of(), negative),
                "negative: PT-1S",
                () -> world.expectDelivery("partner.loan.paid", Map.of(), negative),
                "patience is negative: PT-1S",
                () -> webhooks.waitFor("partner.loan.paid", Map.of(), negative),
                "A receiver answers a status from 200 to 599, and not 99",
                () -> webhooks.answer(99, 1),
                "sead: no such field.",
                () -> mock.world(Map.of("sead", 7)));
        wrong.forEach((wanted, call) -> {
            String message = assertThrows(RuntimeException.class, call).getMessage();
            assertTrue(message.contains(wanted), message);
        });
        assertEquals(START, world.now());
    }

    @Test
    void aPatienceIsRoundedUp(World world) {
        Unmet unmet = assertThrows(Unmet.class, () -> world.waitForRequests(1, Map.of(), Duration.ofMillis(10)));
        assertTrue(unmet.getMessage().endsWith("within 1 seconds"), unmet.getMessage());
    }

    @Test
    void requestsFail(World world) {
        Map<String, Object> once = Map.of("when", "afterCommit", "operation", "sync_business", "nth", 1);
        assertEquals(1, world.fault("upstreamFails", once));
        Refused failed = assertThrows(Refused.class, () -> world.request("PUT", "/v1/organizations/acme", ACME));
        assertEquals("upstream_failed", failed.code());
        assertEquals(1, world.faults().get(0).number("fired"));
        world.fault("connectionDrops", Map.of("when", "beforeCommit"));
        assertThrows(UncheckedIOException.class, () -> world.request("PUT", "/v1/organizations/acme", ACME));
        world.clearFaults();
        assertFalse(world.request("PUT", "/v1/organizations/acme", ACME).flag("created"));
        world.upstreamFails(1);
        assertEquals(502, assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks")).status());
    }

    @Test
    void aFileIsImported(World world) {
        String file = """
                externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate
                INV-1,Acme,Globex,ISSUED,5000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z
                INV-2,Acme,Globex,ISSUED,5000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z
                """;
        world.interruptNextImport(1);
        String path = "/v1/invoices/imports/january";
        assertFalse(world.upload("PUT", path, "text/csv", file).flag("finished"));
        Json report = world.upload("PUT", path, "text/csv", file);
        assertEquals(2, report.number("rowCount"));
        assertEquals("created", report.text("rows.1.outcome"));
        assertEquals(report, world.request("GET", path));
    }

    @Test
    void theJournalHasWhatTheClientDid(World world) {
        assertThrows(
                Refused.class, () -> world.request("PUT", "/v1/organizations/acme", Map.of("legalNam", "Acme")));
        Map<String, String> filter = Map.of("operation", "sync_business", "status", "4xx");
        List<Json> entries = world.waitForRequests(1, filter);
        assertEquals("invalid_request", entries.get(0).text("code"));
        assertEquals(1, world.countRequests(filter));
        assertEquals(List.of(), world.journal(Map.of("payee", "globex")));
        assertEquals(entries, world.unexpected());
        Unmet unmet = assertThrows(Unmet.class, () -> world.waitForRequests(2, Map.of("payee", "acme"), NONE));
        assertEquals("Only 1 came of 2 requests with {payee=acme} within 0 seconds", unmet.getMessage());
    }

    @Test
    @InWorld(scenario = "onboarded")
    void aWebhookIsExpected(World world, Webhooks webhooks) throws InterruptedException {
        Unmet unmet = assertThrows(Unmet.class, () -> world.expectDelivery("partner.loan.paid", Map.of(), NONE));
        assertTrue(unmet.getMessage().contains("No webhook was sent at all"), unmet.getMessage());
        webhooks.subscribe(world);
        // The client is slower than the test.
        Thread client = new Thread(() -> world.request("POST", "/v1/advances", ADVANCE));
        client.start();
        Json created = world.expectDelivery("partner.loan.created", Map.of("payee", "acme", "invoice", "INV-1"));
        client.join();
        assertEquals(204, created.number("attempts.0.status"));
        Map<String, String> funded = Map.of("invoice", "INV-1", "state", "FUNDED");
        String event = "partner.invoice.factoredUpdated";
        Unmet missing =
                assertThrows(Unmet.class, () -> world.expectDelivery(event, funded, Duration.ofMillis(200)));
        assertTrue(missing.getMessage().contains("partner.loan.created (acme INV-1"), missing.getMessage());
        assertTrue(missing.getMessage().contains("accepted after 1 attempts, 204"), missing.getMessage());
        world.untilQuiet();
        world.expectDelivery(event, funded);
        assertEquals(1, world.deliveries(Map.of("type", "partner.loan.issued", "state", "accepted")).size());
    }

    @Test
    @InWorld(platforms = 2)
    void platformsHaveKeysOfTheirOwn(World world) {
        World second = world.platforms().get(1);
        world.request("PUT", "/v1/organizations/acme", ACME);
        assertThrows(Refused.class, () -> second.request("GET", "/v1/organizations/acme"));
        try (World copy = second.fork()) {
            assertThrows(Refused.class, () -> copy.request("GET", "/v1/organizations/acme"));
        }
        String issued = world.issueKey("third").text("key");
        assertFalse(List.of(world.key(), second.key()).contains(issued));
        world.revokeKey(issued);
        second.issueKey();
        second.revokeKey();
        assertEquals(401, assertThrows(Refused.class, () -> second.request("GET", "/v1/webhooks")).status());
    }

    @Test
    void aWorldStartsAgain(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        world.advance(Duration.ofDays(1));
        world.reset();
        assertEquals(START, world.now());
        webhooks.subscribe(world);
        world.resetAndRepeat();
        webhooks.subscribe(world);
        List<String> secrets = webhooks.secrets();
        assertEquals(secrets.get(0), secrets.get(2));
        assertNotEquals(secrets.get(0), secrets.get(1));
    }

    @Test
    @InWorld(scenario = "onboarded")
    void aCopyGoesItsOwnWay(World world) {
        World copy = world.fork();
        copy.request("POST", "/v1/advances", ADVANCE);
        assertEquals("REQUESTED", state(copy));
        assertFalse(world.request("GET", "/v1/organizations/acme/invoices/INV-1").has("advance"));
        copy.close();
        assertEquals(401, assertThrows(Refused.class, () -> copy.request("GET", "/v1/webhooks")).status());
        copy.close();
    }

    @Test
    @InWorld(seed = 7)
    void aSeedGivesTheSameNames(World world, Mock mock, Webhooks webhooks) {
        webhooks.subscribe(world);
        webhooks.subscribe(mock.world(Map.of("seed", 7)));
        assertEquals(1, Set.copyOf(webhooks.secrets()).size());
    }
}
