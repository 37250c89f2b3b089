package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.Books.Invoice;
import example.Books.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.World;

/** The example integration, against a world of its own. */
@InWorld
class IntegrationTest {
    private static final Invoice INVOICE = new Invoice("acme", "INV-7");
    private static final Map<String, ?> FIELDS = Map.of(
            "payee", Map.of("externalId", "acme", "legalName", "Acme Ltd"),
            "payor", Map.of("externalId", "globex", "legalName", "Globex Inc"),
            "faceValue", 1_000_000,
            "issueDate", "2026-01-01T00:00:00Z",
            "dueDate", "2026-03-02T00:00:00Z");

    private final Books books = new Books();
    private Endpoint endpoint;
    private Partner partner;

    @BeforeEach
    void start(World world) throws IOException {
        endpoint = new Endpoint(books);
        partner = new Partner(world.url(), world.key(), Duration.ZERO);
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    private void onboard(World world) throws IOException {
        partner.syncVendor("acme", "Acme Ltd", "12-3456789");
        partner.setPayoutAccount("acme", "000123456789", "021000021");
        partner.syncInvoice("INV-7", FIELDS);
        partner.invite("acme", "ada@acme.example");
        world.vendorCompletesOnboarding("acme");
    }

    @Test
    void anAdvanceIsRepaid(World world) throws IOException {
        books.secret = partner.subscribe(endpoint.url());
        partner.syncVendor("acme", "Acme Ltd", "12-3456789");
        assertFalse(partner.quote("acme", 1_000_000).flag("fundable"));
        onboard(world);
        Json quoted = partner.quote("acme", 1_000_000);
        assertTrue(quoted.flag("fundable"));
        Json advance = partner.requestAdvance("acme", "INV-7");
        assertEquals(quoted.number("advanceAmount"), advance.number("advanceAmount"));
        assertEquals(world.request("GET", "/v1/organizations/acme").at("remittance"), advance.at("remittance"));
        world.untilQuiet();
        world.payorPays("acme", "INV-7", 1_000_000);
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals("REPAID", partner.readInvoice("acme", "INV-7").text("advance.state"));
        assertEquals(Map.of(INVOICE, new State(4, "REPAID")), books.advances);
        assertEquals(List.of(INVOICE), books.paid);
        assertEquals(List.of(), world.unexpected());
        world.assertGoodConduct();
    }

    @Test
    void whatComesLateOrTwiceChangesNothing(World world) throws IOException {
        books.secret = partner.subscribe(endpoint.url());
        onboard(world);
        assertEquals(List.of(), world.waitForDeliveries());
        // Both events of the request come late: after those of the funding, which overtake them.
        endpoint.goDown(2);
        partner.requestAdvance("acme", "INV-7");
        assertEquals(2, world.waitForDeliveries().size());
        world.fundingStarts("acme", "INV-7");
        world.expectDelivery("partner.invoice.factoredUpdated", Map.of("invoice", "INV-7", "state", "FUNDING"));
        world.advance(Duration.ofSeconds(5));
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals(List.of("out of date"), books.ignored);
        assertEquals(new State(2, "FUNDING"), books.advances.get(INVOICE));

        world.resend(world.expectDelivery("partner.loan.created"));
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals(List.of("out of date", "repeated"), books.ignored);
    }

    @Test
    void aLostAnswerCostsNothing(World world) throws IOException {
        for (String operation : List.of("sync_business", "sync_invoice", "request_advance", "subscribe")) {
            world.fault("connectionDrops", Map.of("when", "afterCommit", "operation", operation, "nth", 1));
        }
        world.fault("upstreamFails", Map.of("when", "beforeCommit", "operation", "quote", "nth", 1));
        String secret = partner.subscribe(endpoint.url());
        onboard(world);
        assertTrue(secret.startsWith("whsec_"));
        assertTrue(partner.quote("acme", 1_000_000).flag("fundable"));
        assertTrue(partner.requestAdvance("acme", "INV-7").flag("alreadyRequested"));
        assertEquals(4, world.countRequests(Map.of("fault", "connectionDrops.afterCommit")));
        // The test does without pauses.
        world.assertGoodConduct(List.of("backs-off"));
    }

    @Test
    void aRefusalIsNotRepeated(World world) {
        Partner.Declined declined =
                assertThrows(Partner.Declined.class, () -> partner.requestAdvance("acme", "INV-7"));
        assertEquals("business_not_found", declined.code);
        assertEquals(1, world.journal(Map.of("operation", "request_advance")).size());
    }

    @Test
    void aForgeryIsRefused() {
        books.secret = "whsec_1";
        Map<String, List<String>> headers = Map.of(
                "Service-Signature", List.of("t=1,v1=" + "0".repeat(64)), "Service-Delivery", List.of("dlv_1"));
        assertEquals(401, books.receive(headers, new byte[] {'{', '}'}));
        assertTrue(books.done.isEmpty());
    }
}
