package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Reason;
import tideover.Tideover.Received;
import tideover.Tideover.Unmet;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

/** The receiver. */
@InWorld
class WebhooksTest {
    private static final String ADDED = "partner.organization.added";

    private static final String STANDS = "\nThe clock of the world stands at 2026-01-01T00:00:00Z, and the next thing"
            + " happens at 2026-01-01T00:00:30Z: move it with untilQuiet(), nextEvent() or advance().";

    private static void request(World world) {
        world.request("POST", "/v1/advances", Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1"));
    }

    private static String unmet(Executable wait) {
        return assertThrows(Unmet.class, wait).getMessage();
    }

    private static void add(World world, String business) {
        String path = "/v1/organizations/" + URLEncoder.encode(business, StandardCharsets.UTF_8);
        world.request("PUT", path, Map.of("legalName", business));
    }

    private static List<Integer> statuses(Webhooks webhooks) {
        return webhooks.deliveries().stream().map(Received::status).toList();
    }

    /** Sends as the service does; the signature has that age. Returns the status of the answer. */
    private static int post(Webhooks webhooks, String secret, String body, long age) throws Exception {
        String header = SignatureTest.signed(secret, body, Instant.now().getEpochSecond() - age);
        HttpRequest request = HttpRequest.newBuilder(URI.create(webhooks.url()))
                .header("Service-Signature", header)
                .header("Service-Delivery", "dlv_by_hand")
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
    }

    @Test
    void eventsAreVerified(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        add(world, "acmé");
        Json event = webhooks.waitFor(ADDED, Map.of("payee", "acmé"));
        assertEquals(List.of(event), webhooks.events());
        assertEquals(List.of(204), statuses(webhooks));
        Received received = webhooks.deliveries().get(0);
        Tideover.verify(webhooks.secrets().get(0), received.headers(), received.body());
        assertEquals(event.toString(), new String(received.body(), StandardCharsets.UTF_8));
    }

    @Test
    void onlyChosenEventsCome(World world, Webhooks webhooks) {
        webhooks.subscribe(world, "partner.organization.optedIn");
        add(world, "acme");
        world.vendorCompletesOnboarding("acme");
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals(
                List.of("partner.organization.optedIn"),
                webhooks.events().stream().map(each -> each.text("type")).toList());
    }

    @Test
    void whatCannotBeVerifiedIsRefused(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        webhooks.believe("whsec_another");
        add(world, "acme");
        List<Json> refused = world.waitForDeliveries();
        assertEquals(401, refused.get(0).number("attempts.0.status"));
        assertEquals(Reason.WRONG, webhooks.deliveries().get(0).problem().reason());
        assertEquals(List.of(), webhooks.events());
    }

    @Test
    void aStaleSignatureIsRefused(Webhooks webhooks) throws Exception {
        webhooks.believe("whsec_1");
        assertEquals(401, post(webhooks, "whsec_1", "{\"type\":\"new\"}", 330));
        assertEquals(401, post(webhooks, "whsec_1", "{\"type\":\"new\"}", -330));
        for (Received each : webhooks.deliveries()) {
            assertEquals(Reason.STALE, each.problem().reason());
        }
        assertEquals(204, post(webhooks, "whsec_1", "{\"type\":\"new\"}", 250));
        assertEquals(List.of(Json.of(Map.of("type", "new"))), webhooks.events());
    }

    @Test
    void withoutASecretNothingIsBelieved(Webhooks webhooks) throws Exception {
        assertEquals(401, post(webhooks, "whsec_1", "{}", 0));
    }

    @Test
    void aDeliveryThatComesTwiceIsOneEvent(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        add(world, "acme");
        world.resend(world.expectDelivery(ADDED));
        assertEquals(List.of(), world.waitForDeliveries());
        assertEquals(
                List.of(false, true),
                webhooks.deliveries().stream().map(Received::isDuplicate).toList());
        assertEquals(webhooks.deliveries().get(0).delivery(), webhooks.deliveries().get(1).delivery());
        assertEquals(1, webhooks.events().size());
    }

    @Test
    void aDeliveryThatIsNotAcceptedComesAgain(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        webhooks.answer(500, 2);
        add(world, "acme");
        assertEquals(1, world.waitForDeliveries().size());
        assertEquals(List.of(), webhooks.events());
        world.advance(Duration.ofMinutes(6));
        webhooks.waitFor(ADDED);
        assertEquals(List.of(500, 500, 204), statuses(webhooks));
    }

    @Test
    void aDeliveryThatIsGivenUpWasNotAccepted(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        webhooks.answer(500, 9);
        add(world, "acme");
        world.untilQuiet();
        add(world, "globex");
        assertEquals(
                List.of("acme givenUp", "globex retrying"),
                world.waitForDeliveries().stream()
                        .map(each -> each.text("body.data.externalId") + " " + each.text("state"))
                        .toList());
        webhooks.answer(410, 1);
        add(world, "initech");
        assertEquals("revoked", world.waitForDeliveries().stream().reduce((first, last) -> last).orElseThrow().text("state"));
    }

    @Test
    void whatDoesNotComeIsSaid(World world, Webhooks webhooks) {
        Unmet nothing =
                assertThrows(Unmet.class, () -> webhooks.waitFor("partner.loan.paid", Map.of(), Duration.ZERO));
        assertTrue(nothing.getMessage().contains("Nothing came at all: is http"), nothing.getMessage());
        webhooks.subscribe(world);
        add(world, "acme");
        webhooks.waitFor(ADDED);
        Unmet other = assertThrows(
                Unmet.class, () -> webhooks.waitFor(ADDED, Map.of("payee", "globex"), Duration.ofMillis(10)));
        assertEquals(
                "partner.organization.added payee=globex did not come within 0.01 seconds. Instead came:\n"
                        + "  partner.organization.added (acme): answered 204",
                other.getMessage());
    }

    @Test
    @InWorld(scenario = "onboarded")
    void aWaitSaysThatTheClockStands(World world) {
        String issued = "partner.loan.issued";
        try (Webhooks webhooks = new Webhooks()) {
            webhooks.subscribe(world);
            assertFalse(unmet(() -> webhooks.waitFor(issued, Map.of(), Duration.ZERO)).contains("clock"));
            request(world);
            world.waitForDeliveries();
            for (String text : List.of(
                    unmet(() -> webhooks.waitFor(issued, Map.of(), Duration.ZERO)),
                    unmet(() -> world.expectDelivery(issued, Map.of(), Duration.ZERO)))) {
                assertTrue(text.endsWith(STANDS), text);
            }
            world.untilQuiet();
            String paid = "partner.loan.paid";
            assertFalse(unmet(() -> world.expectDelivery(paid, Map.of(), Duration.ZERO)).contains("clock"));
        }
    }

    @Test
    @InWorld(scenario = "onboarded")
    void aReceiverOfAClientKnowsTheWorldsOfItsTest(World world, Webhooks webhooks) {
        request(world);
        world.waitForDeliveries();
        String text = unmet(() -> webhooks.waitFor("partner.loan.issued", Map.of(), Duration.ZERO));
        assertTrue(text.endsWith(STANDS), text);
    }

    @Test
    void anEventThatDoesNotExistIsRefusedAtOnce(World world, Webhooks webhooks) {
        Map<String, String> hints = Map.of(
                "partner.loan.payed", "Did you mean partner.loan.paid?",
                "loan.issued", "Did you mean partner.loan.issued?",
                "paid", "The document has these: partner.organization.added, ");
        hints.forEach((name, hint) -> {
            Executable waits = () -> webhooks.waitFor(name);
            Executable expects = () -> world.expectDelivery(name);
            for (Executable each : List.of(waits, expects)) {
                String text = assertThrows(IllegalArgumentException.class, each).getMessage();
                assertTrue(text.startsWith("There is no event " + name + ". " + hint), text);
            }
        });
    }

    @Test
    void eachEventThatIsSentMayCome(World world) {
        Json types = new PortReader(world.url()).read("/_sim/operator.json").at("components.schemas.EventType");
        List<Json> sent = new ArrayList<>(types.at("enum").items());
        sent.addAll(types.at("x-unlisted").items());
        assertTrue(sent.size() > 10);
        for (Json each : sent) {
            String name = (String) each.value();
            String text = unmet(() -> world.expectDelivery(name, Map.of(), Duration.ZERO));
            assertTrue(text.startsWith(name + " did not come"), text);
        }
    }

    @Test
    void eachFieldOfAnEventCanBeAskedFor(World world) {
        Json schemas = new PortReader(world.url()).read("/_sim/openapi.json").at("components.schemas");
        for (String form : List.of("Advance", "Business", "Collection", "Financing", "Invoice")) {
            Map<?, ?> fields = (Map<?, ?>) schemas.at("Event" + form + ".properties").value();
            Map<String, String> about = new HashMap<>(Map.of("addedField", "new"));
            fields.keySet().forEach(name -> about.put((String) name, "some"));
            unmet(() -> world.expectDelivery(ADDED, about, Duration.ZERO));
        }
    }
}
