package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.Books;
import example.Books.Invoice;
import example.Books.State;
import example.Endpoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Mock;
import tideover.Tideover.Refused;
import tideover.Tideover.World;

/** Each fault of deliveries: the example's receiver survives it, and one with a mistake does not. */
@InWorld(scenario = "onboarded")
class DeliveryFaultsTest {
    private static final String STATE = "partner.invoice.factoredUpdated";
    private static final String PAID = "partner.loan.paid";
    private static final Set<String> STATES = Set.of("REQUESTED", "FUNDING", "FUNDED", "REPAID");
    private static final Invoice INVOICE = new Invoice("acme", "INV-1");

    /** For each act: the rule, how often the delivery is answered with which status, and who does not survive it. */
    enum Act {
        deliveryLate(Map.of("event", STATE, "nth", 1, "seconds", 7200), List.of("204"), Trusting::new),
        deliveryDuplicated(Map.of("event", PAID), List.of("204", "204"), Forgetful::new),
        deliverySwapped(Map.of("event", STATE, "nth", 2), List.of("204"), Trusting::new),
        deliveryDropped(
                Map.of("event", STATE, "nth", 1, "attempts", 4),
                List.of("null", "null", "null", "null", "204"),
                Trusting::new),
        unknownEventType(Map.of("event", "partner.loan.created"), List.of("204"), Choosy::new),
        unknownField(Map.of("invoice", "INV-1"), List.of("204"), Choosy::new),
        unknownValue(Map.of("event", STATE, "nth", 1), List.of("204"), Choosy::new),
        bodyIndented(Map.of("event", PAID), List.of("204"), Rewriting::new),
        signedWithAnotherSecret(Map.of("event", PAID), List.of("401", "204"), Believing::new),
        signedAnHourAgo(Map.of("event", PAID, "attempts", 2), List.of("401", "401", "204"), Timeless::new);

        private final Map<String, Object> rule;
        private final List<String> answers;
        private final Supplier<Books> wrong;

        Act(Map<String, Object> rule, List<String> answers, Supplier<Books> wrong) {
            this.rule = rule;
            this.answers = answers;
            this.wrong = wrong;
        }
    }

    /** Verifies no signature. */
    private static final class Believing extends Books {
        @Override
        protected void verify(Map<String, List<String>> headers, byte[] body) {
            done.clear();
        }
    }

    /** Verifies the body that it has parsed and written again. */
    private static final class Rewriting extends Books {
        @Override
        protected void verify(Map<String, List<String>> headers, byte[] body) {
            Json written = Json.parse(new String(body, StandardCharsets.UTF_8));
            super.verify(headers, written.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Believes a signature of any age. */
    private static final class Timeless extends Books {
        @Override
        protected void verify(Map<String, List<String>> headers, byte[] body) {
            done.clear();
            // The receiver of the tests writes the names of headers so.
            String signature = headers.get("Service-signature").get(0);
            Tideover.verify(secret, signature, body, Duration.ofDays(365), Instant.now());
        }
    }

    /** Does not remember which deliveries it has processed. */
    private static final class Forgetful extends Books {
        @Override
        public synchronized int receive(Map<String, List<String>> headers, byte[] body) {
            done.clear();
            return super.receive(headers, body);
        }
    }

    /** Takes the last event for the newest. */
    private static final class Trusting extends Books {
        @Override
        protected void process(Json event) {
            if (event.text("type").equals(STATE)) {
                advances.clear();
            }
            super.process(event);
        }
    }

    /** Knows exactly these types, these fields and these states. */
    private static final class Choosy extends Books {
        @Override
        protected void process(Json event) {
            Set<?> fields = ((Map<?, ?>) event.value()).keySet();
            boolean isKnown = event.text("type").matches("partner\\.(organization|invoice|loan)\\..*")
                    && Set.of("id", "type", "occurredAt", "sequence", "data").containsAll(fields)
                    && (!event.text("type").equals(STATE) || STATES.contains(event.text("data.state")));
            if (!isKnown) {
                throw new IllegalArgumentException("unknown: " + event);
            }
            super.process(event);
        }

        @Override
        public synchronized int receive(Map<String, List<String>> headers, byte[] body) {
            try {
                return super.receive(headers, body);
            } catch (IllegalArgumentException unknown) {
                return 400;
            }
        }
    }

    /** Plays an advance up to its repayment, with one fault if any; returns what the receiver got wrong. */
    private static List<String> mistakes(World world, Books books, Act act) throws IOException {
        List<String> found = new ArrayList<>();
        try (Endpoint endpoint = new Endpoint(books)) {
            books.secret = world.request("POST", "/v1/webhooks", Map.of("url", endpoint.url())).text("secret");
            if (act != null) {
                world.fault(act.name(), act.rule);
            }
            world.request("POST", "/v1/advances", Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1"));
            world.untilQuiet();
            if (!books.advances.equals(Map.of(INVOICE, new State(3, "FUNDED")))) {
                found.add("funded, and it has " + books.advances);
            }
            world.payorPays("acme", "INV-1", 1_000_000);
            world.untilQuiet();
        }
        if (!books.advances.equals(Map.of(INVOICE, new State(4, "REPAID")))) {
            found.add("repaid, and it has " + books.advances);
        }
        if (!books.paid.equals(List.of(INVOICE))) {
            found.add("paid once, and it has " + books.paid);
        }
        boolean hasFired = false;
        for (Json delivery : world.deliveries()) {
            hasFired |= delivery.has("fault");
            List<String> answers = delivery.items("attempts").stream()
                    .map(each -> each.at("status").toString())
                    .toList();
            if (!answers.equals(delivery.has("fault") ? act.answers : List.of("204"))) {
                found.add(delivery.text("event") + ": it answers " + answers);
            }
        }
        assertEquals(act != null, hasFired);
        return found;
    }

    @ParameterizedTest
    @EnumSource(Act.class)
    void aRightReceiverSurvives(Act act, World world) throws IOException {
        assertEquals(List.of(), mistakes(world, new Books(), act));
    }

    @ParameterizedTest
    @EnumSource(Act.class)
    void aWrongReceiverDoesNot(Act act, World world, Mock mock) throws IOException {
        assertFalse(mistakes(world, act.wrong.get(), act).isEmpty());
        World calm = mock.world(Map.of("scenario", "onboarded"));
        assertEquals(List.of(), mistakes(calm, act.wrong.get(), null), "without the fault nobody notices");
    }

    @Test
    void everyActOfDeliveriesIsPlayed(Mock mock) {
        Json document = new PortReader(mock.url()).read("/_sim/operator.json");
        Set<String> acts = named(document.value()).collect(Collectors.toSet());
        assertEquals(Set.of(Act.values()).stream().map(Enum::name).collect(Collectors.toSet()), acts);
    }

    /** All texts of the document that name an act of deliveries. */
    private static Stream<String> named(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.values().stream().flatMap(DeliveryFaultsTest::named);
        }
        if (value instanceof List<?> list) {
            return list.stream().flatMap(DeliveryFaultsTest::named);
        }
        boolean isAct = value instanceof String text && text.matches("(delivery(?!Id)|unknown|body|signed)[A-Z][A-Za-z]+");
        return isAct ? Stream.of((String) value) : Stream.empty();
    }

    @Test
    void aThrottledRequestSaysWhenToComeAgain(World world) {
        world.fault("requestThrottled", Map.of("retryAfterSeconds", 3, "nth", 1));
        Refused refused = assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
        assertEquals(429, refused.status());
        assertEquals("too_many_requests", refused.code());
        assertEquals("3", world.journal().get(0).text("response.headers.retry-after"));
        assertEquals(List.of(), world.request("GET", "/v1/webhooks").items());
    }

    @Test
    void aRuleForDeliveriesSelectsNoRequests(World world) {
        Map<String, String> rule = Map.of("operation", "request_advance");
        Refused refused = assertThrows(Refused.class, () -> world.fault("deliveryDropped", rule));
        assertTrue(refused.prose().startsWith("operation: deliveryDropped has only the fields"), refused.prose());
    }
}
