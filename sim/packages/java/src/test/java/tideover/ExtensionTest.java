package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Mock;
import tideover.Tideover.Refused;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

/** What the extension gives to a test, and what it says of one that fails. */
class ExtensionTest {
    private static final Map<String, String> ADVANCE = Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1");
    private static final String NEVER = "2026-01-01T00:00:00Z  fault requestThrottled is added (never acted)";

    @InWorld
    static class Failing {
        static final List<World> WORLDS = new CopyOnWriteArrayList<>();

        @Test
        @InWorld(scenario = "onboarded")
        void aTest(World world, Webhooks webhooks) {
            WORLDS.add(world);
            webhooks.subscribe(world);
            world.fault("upstreamFails", Map.of("when", "afterCommit", "operation", "request_advance", "nth", 2));
            world.request("PUT", "/v1/organizations/acme", Map.of("legalName", "Acme", "taxid", "1"));
            world.request("POST", "/v1/advances", ADVANCE);
            world.payorPays("acme", "INV-1", 5);
            world.advance(Duration.ofHours(2));
            world.request("POST", "/v1/advances", ADVANCE);
        }
    }

    @InWorld
    static class OfTheReadme {
        @Test
        void aTest(World world, Webhooks webhooks) {
            webhooks.subscribe(world);
            world.request("PUT", "/v1/organizations/acme", Map.of("legalName", "Acme"));
            world.expectDelivery("partner.organization.added");
            world.request("POST", "/v1/advances", ADVANCE);
        }
    }

    @InWorld
    static class FailingLater {
        @AfterEach
        void stop(World world) {
            world.request("POST", "/v1/advances", ADVANCE);
        }

        @Test
        void aTest(Mock mock) {
            mock.world().request("GET", "/v1/webhooks");
        }
    }

    @InWorld
    static class OfAClass {
        @BeforeAll
        static void start(World world) {}

        @Test
        void aTest() {}
    }

    static class WithWrongOptions {
        @Test
        @InWorld(seed = -2)
        void aSeed(World world) {}

        @Test
        @InWorld(platforms = -1)
        void platforms(World world) {}

        @Test
        @InWorld(options = "[]")
        void noObject(World world) {}

        @Test
        @InWorld(options = "{\"sead\":7}")
        void anOption(World world) {}
    }

    @InWorld
    static class FailingInPart {
        @Test
        void thatPasses(World world) {}

        @Test
        void thatIsAborted(World world) {
            assumeTrue(world.id().isEmpty());
        }

        @Test
        void thatFails(World world, Mock mock) {
            mock.world();
            mock.world().close();
            fail();
        }

        /** Runs it in a JVM of its own. */
        public static void main(String[] arguments) {
            failures(FailingInPart.class).forEach(System.out::println);
        }
    }

    private static List<String> failures(Class<?> tests) {
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, listener);
        return listener.getSummary().getFailures().stream()
                .map(failure -> {
                    StringWriter text = new StringWriter();
                    failure.getException().printStackTrace(new PrintWriter(text));
                    return text.toString();
                })
                .toList();
    }

    @Test
    void aFailedTestTellsTheStoryOfItsWorld() {
        List<String> failures = failures(Failing.class);
        assertEquals(1, failures.size());
        List<String> lines = failures.get(0).lines().toList();
        assertTrue(lines.get(0).startsWith("tideover.Tideover$Refused: POST /v1/advances -> 502 upstream_failed [7."));
        assertTrue(lines.get(1).contains("ExtensionTest$Failing.aTest(ExtensionTest.java:"), lines.get(1));
        String[] story = {
            "\tSuppressed: the timeline of world w",
            "2026-01-01T00:00:00Z  POST /v1/webhooks -> 201  [4.webhooks.2]",
            "2026-01-01T00:00:00Z  fault upstreamFails.afterCommit is added",
            "2026-01-01T00:00:00Z  PUT /v1/organizations/acme -> 200  [4.businessSync.intro.1]",
            "    The field taxid is not known and was ignored. Did you mean taxId?",
            "2026-01-01T00:00:00Z  POST /v1/advances -> 201  [4.advances.1]",
            "2026-01-01T00:00:00Z    webhook partner.invoice.factoredUpdated (acme INV-1 REQUESTED) -> 204",
            "2026-01-01T00:00:00Z    webhook partner.loan.created (acme INV-1",
            "2026-01-01T00:00:00Z  action payorPays (acme INV-1 5)",
            "2026-01-01T00:00:00Z  clock moves to 2026-01-01T02:00:00Z",
            "2026-01-01T00:00:30Z    webhook partner.invoice.factoredUpdated (acme INV-1 FUNDING) -> 204",
            "2026-01-01T02:00:00Z  POST /v1/advances -> 502 upstream_failed  [7.",
            "The last refusal was upstream_failed, decided by clause 7.",
            "    The service",
        };
        List<String> rest = lines;
        for (String expected : story) {
            rest = rest.stream().dropWhile(line -> !line.startsWith(expected)).toList();
            assertFalse(rest.isEmpty(), "There is no " + expected + " in\n" + failures.get(0));
        }
        assertFalse(failures.get(0).contains("whsec_"));
        // Its world is gone.
        Refused gone = assertThrows(Refused.class, () -> Failing.WORLDS.get(0).journal());
        assertEquals(401, gone.status());
    }

    @Test
    void theStoryOfTheReadmeIsWhatIsPrinted() throws IOException {
        String page = Files.readString(Path.of("README.md"));
        int start = page.indexOf("```text\n") + "```text\n".length();
        String shown = page.substring(start, page.indexOf("\n```", start));
        String story = shown.substring(shown.indexOf("2026-01-01"));
        String printed = failures(OfTheReadme.class).get(0);
        assertTrue(printed.contains(story), printed);
        assertTrue(printed.startsWith(shown.substring(0, shown.indexOf('\n'))), printed);
    }

    @Test
    void allItsWorldsTellTheirStory() {
        List<String> failures = failures(FailingLater.class);
        assertEquals(1, failures.size());
        String text = failures.get(0);
        assertTrue(text.contains("GET /v1/webhooks -> 200"), text);
        assertTrue(text.contains("The last refusal was business_not_found, decided by clause 4.advances.5:\n"), text);
    }

    @Test
    void theWorldsOfAFailedTestCanStay() throws Exception {
        Map<String, String> keep = Map.of("TIDEOVER_KEEP_FAILED", "1");
        String without = MockTest.printed(FailingInPart.class, keep);
        assertTrue(without.contains("the timeline of world w") && !without.contains("The world stays"), without);
        try (Mock mock = Mock.start()) {
            Map<String, String> variables = new HashMap<>(keep);
            variables.put("TIDEOVER_URL", mock.url() + "/");
            String text = MockTest.printed(FailingInPart.class, variables);
            String stays = "The world stays: " + mock.url() + "/_sim/?world=";
            Set<String> named = text.lines().filter(line -> line.startsWith(stays)).collect(Collectors.toSet());
            assertEquals(2, named.size(), text);
            named.add(stays + "default");
            Set<String> there = new PortReader(mock.url())
                    .read("/_sim/worlds").items("worlds").stream()
                            .map(world -> stays + world.text("id"))
                            .collect(Collectors.toSet());
            assertEquals(there, named);
        }
    }

    @Test
    void aWorldIsOfOneTest() {
        String text = failures(OfAClass.class).get(0);
        assertTrue(text.contains("A World is of one test: ask for it in the test or in @BeforeEach"), text);
    }

    @Test
    void optionsThatAreWrongAreRefused() {
        List<String> failures = failures(WithWrongOptions.class);
        assertEquals(4, failures.size());
        Map<String, Long> wanted =
                Map.of("may be negative", 2L, "The options are no JSON object: []", 1L, "sead: no such field", 1L);
        wanted.forEach((message, times) ->
                assertEquals(times, failures.stream().filter(each -> each.contains(message)).count(), message));
    }

    @Nested
    @InWorld(scenario = "onboarded", platforms = 2)
    class WithOptions {
        private World before;

        @BeforeAll
        static void theMockIsThere(Mock mock) {
            assertSame(Tideover.mock(), mock);
        }

        @BeforeEach
        void before(World world) {
            before = world;
        }

        @Nested
        class Inside {
            @Test
            @InWorld(scenario = "funded")
            void theNearestHasTheLastWord(World world) {
                assertSame(before, world);
                assertEquals(2, world.platforms().size());
                assertTrue(world.request("GET", "/v1/organizations/acme/invoices/INV-1").has("advance"));
            }
        }
    }

    @Test
    @ExtendWith(Tideover.class)
    void theExtensionAloneGivesAFreshWorld(World world, Webhooks webhooks, Mock mock) {
        assertEquals(mock.url(), world.url());
        assertEquals(List.of(), world.journal());
        assertEquals(List.of(), webhooks.secrets());
        assertEquals("Nothing: no request came with a key of this world.", world.timeline());
    }

    @Test
    @InWorld
    void noRequestCame(World world) {
        world.advance(Duration.ofHours(1));
        assertThrows(Refused.class, () -> world.payorPays("acme", "INV-1", 5));
        assertEquals(
                """
                2026-01-01T00:00:00Z  clock moves to 2026-01-01T01:00:00Z
                2026-01-01T01:00:00Z  action payorPays (acme INV-1 5) -> refused: \
                no business was synced under this identifier

                No request came with a key of this world.""",
                world.timeline());
    }

    @Test
    void aFaultThatNeverActedIsMarked() {
        Map<String, Object> throttled = Map.of("operation", "list_subscriptions", "retryAfterSeconds", 1);
        Map<String, Object> never = Map.of("nth", 9, "retryAfterSeconds", 1);
        List<Map<String, Object>> first = List.of(Map.of("act", "deliveryDropped"), Map.of("act", "unknownField"));
        try (World world = Tideover.mock().world(Map.of("faults", first))) {
            world.fault("requestThrottled", never);
            world.fault("requestThrottled", throttled);
            world.fault("deliveryDropped");
            assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
            world.clearFaults();
            world.fault("requestThrottled", never);
            world.fault("upstreamFails", Map.of("when", "beforeCommit", "label", "down"));
            assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
            List<String> lines = world.timeline().lines().toList();
            assertEquals(
                    List.of(
                            NEVER,
                            "2026-01-01T00:00:00Z  fault down is added",
                            "2026-01-01T00:00:00Z  GET /v1/webhooks -> 502 upstream_failed"
                                    + "  [7.codes.upstream_failed]  fault: down"),
                    lines.subList(lines.size() - 6, lines.size() - 3));
            assertEquals(1, lines.stream().filter(line -> line.contains("never acted")).count());
            world.reset();
            world.fault("requestThrottled", throttled);
            world.fault("requestThrottled", never);
            assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
            assertEquals(
                    List.of(
                            NEVER,
                            "from the start  fault deliveryDropped (never acted)",
                            "from the start  fault unknownField (never acted)"),
                    world.timeline().lines().filter(line -> line.contains("never acted")).toList());
        }
    }

    @Test
    @InWorld
    void aWebhookThatIsSentAgainStandsUnderIt(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        world.request("PUT", "/v1/organizations/acme", Map.of("legalName", "Acme"));
        Json delivery = world.expectDelivery("partner.organization.added");
        world.resend(delivery);
        assertEquals(List.of(), world.waitForDeliveries());
        world.request("GET", "/v1/organizations/acme");
        world.resend(delivery);
        assertEquals(List.of(), world.waitForDeliveries());
        List<String> lines = world.timeline().lines().toList();
        Map.of(3, "attempt 2", 6, "attempt 3").forEach((place, attempt) -> {
            String again = "2026-01-01T00:00:00Z  webhook " + delivery.text("id") + " is sent again";
            assertEquals(again, lines.get(place));
            assertTrue(lines.get(place + 1).endsWith("(acme), " + attempt + " -> 204"), lines.get(place + 1));
        });
    }

    @Test
    @InWorld
    void aRefusalByAFaultIsTheLastOne(World world) {
        assertThrows(Refused.class, () -> world.request("POST", "/v1/advances", ADVANCE));
        world.fault("requestThrottled", Map.of("retryAfterSeconds", 1, "nth", 1));
        assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
        String throttled = "\n\nThe last refusal was too_many_requests, made by the fault requestThrottled:\n"
                + "    Too many requests; try again later.";
        assertTrue(world.timeline().endsWith(throttled), world.timeline());
        world.fault("upstreamFails", Map.of("when", "beforeCommit", "label", "down"));
        assertThrows(Refused.class, () -> world.request("GET", "/v1/webhooks"));
        String failed = "\nThe last refusal was upstream_failed, decided by clause 7.codes.upstream_failed,"
                + " made by the fault down:";
        assertTrue(world.timeline().contains(failed), world.timeline());
    }

    @Test
    @InWorld
    void webhooksStandWhereTheyWereSent(World world, Webhooks webhooks) {
        webhooks.subscribe(world, "partner.organization.added", "partner.organization.optedIn");
        webhooks.answer(500, 1);
        world.request("PUT", "/v1/organizations/acme", Map.of("legalName", "Acme"));
        // The first delivery is the one that fails: the next ones must not overtake it.
        long patience = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!world.timeline().contains("partner.organization.added (acme) -> 500")) {
            assertTrue(System.nanoTime() < patience, world.timeline());
        }
        world.request("GET", "/v1/organizations/acme");
        world.vendorCompletesOnboarding("acme");
        world.request("PUT", "/v1/organizations/globex", Map.of("legalName", "Globex"));
        world.advance(Duration.ofSeconds(5));
        world.request("GET", "/v1/organizations/globex");
        assertEquals(
                List.of(
                        "POST /v1/webhooks",
                        "PUT /v1/organizations/acme",
                        "webhook partner.organization.added (acme)",
                        "GET /v1/organizations/acme",
                        "action vendorCompletesOnboarding (acme)",
                        "webhook partner.organization.optedIn (acme)",
                        "PUT /v1/organizations/globex",
                        "webhook partner.organization.added (globex)",
                        "clock moves to 2026-01-01T00:00:05Z",
                        "webhook partner.organization.added (acme), attempt 2",
                        "GET /v1/organizations/globex"),
                Arrays.stream(world.timeline().split("\n"))
                        .map(line -> line.replaceAll("^\\S+ +| -> .*", ""))
                        .toList());
    }

    @Test
    @InWorld
    void aLongStoryIsCut(World world) {
        for (int request = 0; request < 70; request++) {
            world.request("GET", "/v1/webhooks");
        }
        List<String> lines = world.timeline().lines().toList();
        assertEquals("(10 earlier lines are left out)", lines.get(0));
        assertEquals(61, lines.size());
    }
}
