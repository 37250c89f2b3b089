// SPDX-License-Identifier: MIT OR Apache-2.0

package tideover;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Tests against a mock of the Receivables Advance Partner API.
 *
 * <p>A test asks for what it needs by its parameters: a {@link World}, {@link Webhooks}, or the {@link Mock}. The
 * annotation {@link InWorld} on a class or a test registers this extension, and says how the world begins.
 *
 * <p>All tests of one JVM share one mock, which ends with the JVM. The variable {@code TIDEOVER} names its program,
 * {@code TIDEOVER_URL} a mock that runs already.
 */
public final class Tideover implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(Tideover.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    // The extension

    /** Registers {@link Tideover}, and says how the world of a test begins. What is nearer to the test wins. */
    @Target({ElementType.TYPE, ElementType.METHOD})
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(Tideover.class)
    public @interface InWorld {
        /** How far the story has gone: fresh, onboarded, funded, repaid or at-the-limit. */
        String scenario() default "";

        /** The number of platforms. */
        int platforms() default 0;

        /** The seed of all that the service chooses, from 0 on. Worlds with one seed have the same names. */
        long seed() default -1;

        /** Further options as a JSON object, with the names of {@code POST /_sim/worlds}. */
        String options() default "{}";
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return List.of(World.class, Webhooks.class, Mock.class).contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (context.getTestMethod().isEmpty()) {
            if (type == Mock.class) {
                return mock();
            }
            throw new ParameterResolutionException(
                    "A " + type.getSimpleName() + " is of one test: ask for it in the test or in @BeforeEach");
        }
        ExtensionContext.Store store = context.getStore(SPACE);
        Belongings mine = store.getOrComputeIfAbsent("test", key -> new Belongings(), Belongings.class);
        if (type == Mock.class) {
            return mine.mock();
        }
        return type == World.class ? mine.world(context) : mine.webhooks();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Belongings mine = context.getStore(SPACE).remove("test", Belongings.class);
        if (mine != null) {
            // Here and not later: its worlds are gone when a TestWatcher hears of the failure.
            // To be aborted, as by an assumption, is not to fail.
            context.getExecutionException()
                    .filter(problem -> !(problem instanceof TestAbortedException))
                    .ifPresent(mine::tell);
            mine.close();
        }
    }

    /** What one test has. */
    private static final class Belongings {
        private final List<World> worlds = new CopyOnWriteArrayList<>();
        private World world;
        private Webhooks webhooks;

        /** The mock of all tests; worlds that are made with it end with this test. */
        Mock mock() {
            Mock shared = Tideover.mock();
            return new Mock(shared.url, shared.key, null, worlds::add);
        }

        synchronized World world(ExtensionContext context) {
            if (world == null) {
                world = mock().world(options(context));
            }
            return world;
        }

        synchronized Webhooks webhooks() {
            if (webhooks == null) {
                webhooks = new Webhooks(worlds);
            }
            return webhooks;
        }

        void tell(Throwable failure) {
            for (World each : worlds) {
                failure.addSuppressed(new Story(each));
            }
            worlds.removeIf(World::stays);
        }

        void close() {
            // The worlds first: nothing more is sent then.
            try {
                worlds.forEach(World::close);
            } finally {
                if (webhooks != null) {
                    webhooks.close();
                }
            }
        }
    }

    private static Map<String, Object> options(ExtensionContext context) {
        List<InWorld> nearestFirst = new ArrayList<>();
        AnnotationSupport.findAnnotation(context.getTestMethod(), InWorld.class).ifPresent(nearestFirst::add);
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getEnclosingClass()) {
            AnnotationSupport.findAnnotation(type, InWorld.class).ifPresent(nearestFirst::add);
            if (Modifier.isStatic(type.getModifiers())) {
                break;
            }
        }
        Collections.reverse(nearestFirst);
        Map<String, Object> options = new LinkedHashMap<>();
        for (InWorld each : nearestFirst) {
            if (!each.scenario().isEmpty()) {
                options.put("scenario", each.scenario());
            }
            if (each.platforms() < 0 || each.seed() < -1) {
                throw new ParameterResolutionException("Neither platforms nor a seed may be negative in " + each);
            }
            if (each.platforms() > 0) {
                options.put("platforms", each.platforms());
            }
            if (each.seed() >= 0) {
                options.put("seed", each.seed());
            }
            Json further = Json.parse(each.options());
            if (!(further.value() instanceof Map)) {
                throw new ParameterResolutionException("The options are no JSON object: " + each.options());
            }
            options.putAll(further.fields());
        }
        return options;
    }

    /** What happened in the world of a failed test: it stands in the report as a suppressed exception. */
    private static final class Story extends RuntimeException {
        Story(World world) {
            super(text(world), null, false, false);
        }

        private static String text(World world) {
            try {
                String stays = "\n\nThe world stays: " + world.url + "/_sim/?world=" + world.id;
                return "the timeline of " + world + "\n" + world.timeline() + (world.stays() ? stays : "");
            } catch (RuntimeException problem) {
                // The report of the test is worth more than that of the mock.
                return world + " cannot say what happened: " + problem;
            }
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }

    // The mock

    private static Mock shared;
    private static CannotStart failure;

    /** The mock of all tests; it starts when it is asked for the first time. */
    public static synchronized Mock mock() {
        if (failure != null) {
            // Each test says why, and none waits for another attempt.
            throw new CannotStart(failure.getMessage(), failure);
        }
        if (shared == null) {
            String url = System.getenv("TIDEOVER_URL");
            try {
                shared = url == null || url.isEmpty() ? Mock.start() : Mock.at(url);
            } catch (CannotStart problem) {
                failure = problem;
                throw problem;
            }
        }
        return shared;
    }

    /** There is no mock. */
    public static final class CannotStart extends RuntimeException {
        private CannotStart(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A mock, in which worlds are made. */
    public static final class Mock implements AutoCloseable {
        /** So that a test decides when time passes, reads the same dates every day, and receives webhooks. */
        private static final Map<String, String> DEFAULTS =
                Map.of("--webhooks", "local", "--clock", "still", "--start", "2026-01-01T00:00:00Z");

        private final String url;
        private final String key;
        private final Process process;
        private final Consumer<World> made;

        private Mock(String url, String key, Process process, Consumer<World> made) {
            this.url = url;
            this.key = key;
            this.process = process;
            this.made = made;
        }

        /**
         * A mock of its own, which ends with {@link #close()} or with the JVM. Options are those of {@code tideover
         * serve}: {@code Mock.start("--grease", "--seed", "7")}. Its clock stands at 2026-01-01 and its webhooks may
         * go to this machine, unless they say otherwise.
         */
        public static Mock start(String... options) {
            List<String> command = new ArrayList<>(List.of(program(), "serve", "--port", "0", "--json"));
            DEFAULTS.forEach((name, value) -> {
                if (Arrays.stream(options).noneMatch(each -> each.equals(name) || each.startsWith(name + "="))) {
                    command.addAll(List.of(name, value));
                }
            });
            command.addAll(List.of(options));
            try {
                // A file: nobody reads a pipe while the tests run, and a full one would stop the mock.
                File errors = File.createTempFile("tideover-", ".log");
                errors.deleteOnExit();
                Process process = new ProcessBuilder(command).redirectError(errors).start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process)));
                // All that it ever says there.
                String line = process.inputReader().readLine();
                if (line != null) {
                    Json ready = Json.parse(line);
                    return new Mock(ready.text("baseUrl"), ready.text("apiKey"), process, world -> {});
                }
                int code = waitFor(process);
                String said = Files.readString(errors.toPath()).strip();
                throw new CannotStart(
                        String.join(" ", command) + " ended with exit code " + code + ":\n" + said, null);
            } catch (IOException problem) {
                String said = "The program " + command.get(0) + " cannot be started: " + problem.getMessage() + ".";
                String help = " A release has it. Put it on the PATH, or let the variable TIDEOVER name it.";
                throw new CannotStart(said + help, problem);
            }
        }

        /** A mock that somebody else has started, and will end. */
        public static Mock at(String url) {
            return new Mock(url.replaceAll("/+$", ""), "rap_sk_local", null, world -> {});
        }

        public String url() {
            return url;
        }

        /** The key of the default world. */
        public String key() {
            return key;
        }

        /** A world of its own: state, clock, keys, journal, faults, webhooks. */
        public World world() {
            return world(Map.of());
        }

        /** A world with these options of {@code POST /_sim/worlds}: {@code Map.of("scenario", "funded")}. */
        public World world(Map<String, ?> options) {
            Json answer = new Caller(url, null).send("POST", "/_sim/worlds", options);
            World world = World.of(url, answer);
            made.accept(world);
            return world;
        }

        /** Ends the mock, if this object has started it. */
        @Override
        public void close() {
            if (process != null) {
                end(process);
            }
        }

        @Override
        public String toString() {
            return "Mock(" + url + ")";
        }

        private static String program() {
            String named = System.getenv("TIDEOVER");
            return named == null || named.isEmpty() ? "tideover" : named;
        }

        private static void end(Process process) {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            } catch (InterruptedException interrupted) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }

        private static int waitFor(Process process) {
            try {
                return process.waitFor();
            } catch (InterruptedException interrupted) {
                throw interrupted(interrupted);
            }
        }
    }

    // The world

    /** One isolated service. Its key selects it, for your client as for this object. */
    public static final class World implements AutoCloseable {
        private final String url;
        private final String id;
        private final List<String> keys;
        private final String key;
        private final Caller caller;

        private World(String url, String id, List<String> keys, String key) {
            this.url = url;
            this.id = id;
            this.keys = keys;
            this.key = key;
            this.caller = new Caller(url, key);
        }

        private static World of(String url, Json made) {
            List<String> keys = made.items("keys").stream().map(each -> each.text("key")).toList();
            return new World(url, made.text("id"), keys, keys.get(0));
        }

        /** Where your client connects. */
        public String url() {
            return url;
        }

        /** The key of this platform. */
        public String key() {
            return key;
        }

        public String id() {
            return id;
        }

        /** This world as each of its platforms sees it: each has a key and identifiers of its own. */
        public List<World> platforms() {
            return keys.stream().map(each -> new World(url, id, keys, each)).toList();
        }

        /** Sends a request of the API, and returns the body of its answer; throws {@link Refused} for a refusal. */
        public Json request(String method, String path) {
            return caller.send(method, path, null);
        }

        /** The same with a body: a map, a list or a {@link Json}. */
        public Json request(String method, String path, Object body) {
            return caller.send(method, path, body);
        }

        /** The same with a body as it is: {@code upload("PUT", "/v1/invoices/imports/june", "text/csv", file)}. */
        public Json upload(String method, String path, String contentType, String body) {
            return caller.send(method, path, contentType, body, Caller.USUAL);
        }

        // What the outside world does

        /** Plays an action of the operator port, with the fields that it has there. */
        public Json act(String action, Map<String, ?> fields) {
            Map<String, Object> body = new LinkedHashMap<>(fields);
            body.put("action", action);
            return port("POST", "actions", body);
        }

        /** The invited person follows the link of an invitation. */
        public Json vendorAcceptsInvitation(String payee, String email) {
            return act("vendorAcceptsInvitation", Map.of("payeeExternalId", payee, "email", email));
        }

        /** The vendor confirms the tax id on file, by VENDOR_ASSERTION or W9_UPLOAD. */
        public Json vendorConfirmsTaxId(String payee, String route) {
            return act("vendorConfirmsTaxId", Map.of("payeeExternalId", payee, "route", route));
        }

        /** The vendor confirms this tax id, by VENDOR_ASSERTION or W9_UPLOAD. */
        public Json vendorConfirmsTaxId(String payee, String route, String taxId) {
            return act("vendorConfirmsTaxId", Map.of("payeeExternalId", payee, "route", route, "taxId", taxId));
        }

        /** The vendor signs the agreement. It must have accepted an invitation before. */
        public Json vendorSignsAgreement(String payee) {
            return act("vendorSignsAgreement", Map.of("payeeExternalId", payee));
        }

        /** The same with an address on the agreement, with which a collection account can open. */
        public Json vendorSignsAgreement(String payee, Map<String, ?> address) {
            return act("vendorSignsAgreement", Map.of("payeeExternalId", payee, "address", address));
        }

        /** The vendor adds a bank account for its advances, unless the platform has set one. */
        public Json vendorAddsBankAccount(String payee, String accountNumber, String routingNumber) {
            return act(
                    "vendorAddsBankAccount",
                    Map.of("payeeExternalId", payee, "accountNumber", accountNumber, "routingNumber", routingNumber));
        }

        /** The bank opens the collection account at once, instead of after some minutes. */
        public Json collectionAccountOpens(String payee) {
            return act("collectionAccountOpens", Map.of("payeeExternalId", payee));
        }

        /** The vendor and the bank do all that is left, so that the business meets all four requirements. */
        public Json vendorCompletesOnboarding(String payee) {
            return act("vendorCompletesOnboarding", Map.of("payeeExternalId", payee));
        }

        /** The money of a requested advance is on its way at once, instead of after some seconds. */
        public Json fundingStarts(String payee, String invoice) {
            return act("fundingStarts", Map.of("payeeExternalId", payee, "invoiceExternalId", invoice));
        }

        /** The money reaches the vendor at once, instead of after an hour. */
        public Json fundingCompletes(String payee, String invoice) {
            return act("fundingCompletes", Map.of("payeeExternalId", payee, "invoiceExternalId", invoice));
        }

        /** The payor pays so many cents of an invoice into the collection account. */
        public Json payorPays(String payee, String invoice, long amount) {
            return act("payorPays", Map.of("payeeExternalId", payee, "invoiceExternalId", invoice, "amount", amount));
        }

        /** The tax id on file turns out to be wrong: compliance is no longer cleared. */
        public Json taxIdFoundWrong(String payee) {
            return act("taxIdFoundWrong", Map.of("payeeExternalId", payee));
        }

        /** The next import stops after so many rows; the same file sent again resumes it. */
        public Json interruptNextImport(int afterRows) {
            return act("interruptNextImport", Map.of("afterRows", afterRows));
        }

        /** The vendor opens the link of an onboarding session; refused while such links lead nowhere. */
        public Json vendorOpensSession(String link) {
            return act("vendorOpensSession", Map.of("url", link));
        }

        /** The operator marks a business as a test account: no money of it moves. */
        public Json markTestAccount(String business) {
            return act("markTestAccount", Map.of("externalId", business));
        }

        /** The operator issues another API key of this platform, which the answer shows. */
        public Json issueKey() {
            return act("issueKey", Map.of());
        }

        /** The operator issues an API key of this platform; a new name makes a new one. */
        public Json issueKey(String platform) {
            return act("issueKey", Map.of("platform", platform));
        }

        /** The operator revokes the key of this platform. */
        public Json revokeKey() {
            return act("revokeKey", Map.of());
        }

        /** The operator revokes this key. */
        public Json revokeKey(String revoked) {
            return act("revokeKey", Map.of("key", revoked));
        }

        /** The next requests of any caller fail with 502. */
        public Json upstreamFails(int requests) {
            return act("upstreamFails", Map.of("requests", requests));
        }

        // Time

        /** What the clock shows. */
        public Instant now() {
            return Instant.parse(port("GET", "clock", null).text("now"));
        }

        /** Moves the clock forward. Everything that is due happens in order. */
        public Instant advance(Duration duration) {
            // The mock refuses what is not whole, and what is negative.
            BigDecimal seconds = new BigDecimal(duration.toSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
            return move("advanceSeconds", duration.getNano() == 0 ? (Object) duration.toSeconds() : seconds);
        }

        /** Moves the clock forward to this instant. */
        public Instant advanceTo(Instant instant) {
            return move("advanceTo", instant.toString());
        }

        /** Moves the clock to the next thing that is due. If nothing is due, it stays. */
        public Instant nextEvent() {
            return move("nextEvent", true);
        }

        /** Moves the clock until nothing is due any more: advances are funded, webhooks are settled. */
        public Instant untilQuiet() {
            Json moved = port("POST", "clock", Map.of("untilQuiet", true), Caller.LONG);
            if (!moved.flag("quiet")) {
                throw new Unmet("At " + moved.text("now") + " something is still due, at " + moved.text("nextDue"));
            }
            return Instant.parse(moved.text("now"));
        }

        /** Says that the clock stands while something is due; empty if that is not so. */
        private String waiting() {
            try {
                // No business has such a text: none is of interest.
                Json seen = port("GET", "overview?text=%00", null);
                // What is due now is on its way.
                if (seen.number("speed") > 0
                        || !seen.has("nextDue")
                        || seen.text("nextDue").compareTo(seen.text("now")) <= 0) {
                    return "";
                }
                return "\nThe clock of the world stands at " + seen.text("now") + ", and the next thing happens at "
                        + seen.text("nextDue") + ": move it with untilQuiet(), nextEvent() or advance().";
            } catch (RuntimeException problem) {
                // What failed is the test, which is worth more than this hint.
                return "";
            }
        }

        private Instant move(String name, Object value) {
            return Instant.parse(port("POST", "clock", Map.of(name, value), Caller.LONG).text("now"));
        }

        // Faults

        /** Lets every request or webhook that the act is for fail. Returns the number of the rule. */
        public long fault(String act) {
            return fault(act, Map.of());
        }

        /**
         * Lets chosen requests or webhooks fail: {@code fault("deliveryDuplicated", Map.of("event",
         * "partner.loan.paid", "nth", 1))}. The act says which of the two. Returns the number of the rule.
         */
        public long fault(String act, Map<String, ?> rule) {
            Map<String, Object> body = new LinkedHashMap<>(rule);
            body.put("act", act);
            return port("POST", "faults", body).number("ids.0");
        }

        /** The rules, with how often each has acted. */
        public List<Json> faults() {
            return port("GET", "faults", null).items("faults");
        }

        /** Removes all rules. */
        public void clearFaults() {
            port("DELETE", "faults", null);
        }

        // Webhooks

        /** The webhooks of this world, each with every attempt. */
        public List<Json> deliveries() {
            return deliveries(Map.of());
        }

        /** Those that the filters choose, such as {@code Map.of("state", "retrying")}. */
        public List<Json> deliveries(Map<String, ?> filters) {
            return port("GET", query("deliveries", filters), null).items("deliveries");
        }

        /**
         * Waits until no webhook is left to be sent now. Returns those that your receiver did not accept: their {@code
         * state} is retrying, givenUp or revoked.
         */
        public List<Json> waitForDeliveries() {
            Json waited = port("POST", "deliveries/wait", Map.of("patienceSeconds", 30), Caller.LONG);
            if (!waited.flag("quiet")) {
                throw new Unmet("After 30 seconds webhooks are still under way");
            }
            return deliveries().stream()
                    .filter(each -> List.of("retrying", "givenUp", "revoked").contains(each.text("state")))
                    .toList();
        }

        /** The first webhook of this event that its receiver has accepted; waits for it, and moves no clock. */
        public Json expectDelivery(String event) {
            return expectDelivery(event, Map.of());
        }

        /**
         * The same with what it is about: {@code payee}, {@code invoice}, and fields of its data such as {@code
         * state}. If none comes, {@link Unmet} says what came instead. A type that the document does not have is
         * refused at once.
         */
        public Json expectDelivery(String event, Map<String, ?> about) {
            return expectDelivery(event, about, PATIENCE);
        }

        /** The same with another patience than ten seconds. */
        public Json expectDelivery(String event, Map<String, ?> about, Duration patience) {
            Expected expected = new Expected(event, about);
            long deadline = System.nanoTime() + notNegative(patience).toNanos();
            for (long pause = 2; ; pause = Math.min(2 * pause, 100)) {
                boolean isLast = System.nanoTime() >= deadline;
                List<Json> came = deliveries();
                for (Json delivery : came) {
                    if (delivery.text("state").equals("accepted") && expected.isMetBy(delivery.at("body"))) {
                        return delivery;
                    }
                }
                if (isLast) {
                    List<String> lines = came.stream().map(World::describe).toList();
                    String nothing = "No webhook was sent at all: is a URL subscribed to this event?";
                    throw expected.unmet(patience, lines, nothing, waiting());
                }
                pause(pause);
            }
        }

        /** Sends a webhook once more, as the service may at any time. */
        public void resend(Json delivery) {
            port("POST", "deliveries/" + delivery.text("id") + "/resend", null);
        }

        private static String describe(Json delivery) {
            List<Json> attempts = delivery.items("attempts");
            String line = subject(delivery.at("body")) + ": " + delivery.text("state") + " after " + attempts.size()
                    + " attempts";
            return attempts.isEmpty() ? line : line + ", " + outcome(attempts.get(attempts.size() - 1));
        }

        // What happened

        /** The last requests with their answers, and the clause that decided each; the oldest first. */
        public List<Json> journal() {
            return journal(Map.of());
        }

        /** Those that the filters choose, such as {@code Map.of("operation", "request_advance")}. */
        public List<Json> journal(Map<String, ?> filters) {
            return port("GET", query("journal", filters), null).items("entries");
        }

        /** How many requests the filters choose. */
        public long countRequests(Map<String, ?> filters) {
            return port("GET", query("journal/count", filters), null).number("count");
        }

        /** Waits until your client has sent so many requests that the filters choose, and returns them. */
        public List<Json> waitForRequests(int count, Map<String, ?> filters) {
            return waitForRequests(count, filters, PATIENCE);
        }

        /** The same with another patience than ten seconds. */
        public List<Json> waitForRequests(int count, Map<String, ?> filters, Duration patience) {
            long seconds = notNegative(patience).plusNanos(999_999_999).toSeconds();
            Map<String, Object> body = Map.of("filter", filters, "count", count, "patienceSeconds", seconds);
            Json came = port("POST", "journal/wait", body, patience.plus(Caller.USUAL));
            if (!came.flag("reached")) {
                String wanted = count + " requests" + (filters.isEmpty() ? "" : " with " + filters);
                throw new Unmet("Only " + came.number("count") + " came of " + wanted + " within " + seconds
                        + " seconds");
            }
            return journal(filters);
        }

        /** Requests that show a mistake of the client. At the end of a test it should be empty. */
        public List<Json> unexpected() {
            return port("GET", "journal/unexpected", null).items("entries");
        }

        /** What your client did so far of what the document asks of callers: a row for each duty, with its clause. */
        public Json conduct() {
            return port("GET", "conduct", null);
        }

        /** The same once your client is done: what it has begun and not finished is broken then. */
        public Json finalConduct() {
            return port("GET", "conduct?final=true", null);
        }

        /** Fails if your client, which is done, broke a duty. */
        public void assertGoodConduct() {
            assertGoodConduct(List.of());
        }

        /** The same but for the duties with these ids. */
        public void assertGoodConduct(Collection<String> ignored) {
            List<Json> rows = finalConduct().items("rows");
            List<String> ids = rows.stream().map(row -> row.text("id")).toList();
            ignored.stream().filter(id -> !ids.contains(id)).findFirst().ifPresent(id -> {
                throw new IllegalArgumentException("There is no such duty: " + id);
            });
            List<Json> broken = rows.stream()
                    .filter(row -> row.text("state").equals("broken") && !ignored.contains(row.text("id")))
                    .toList();
            if (!broken.isEmpty()) {
                List<String> texts = new ArrayList<>();
                texts.add(broken.size() + " of " + rows.size() + " duties broken in world " + id);
                Map<Long, Json> requests = byNumber(journal(), "number");
                Map<Long, Json> deliveries = byNumber(deliveries(), "index");
                broken.forEach(row -> texts.add(explained(row, requests, deliveries)));
                throw new Unmet(String.join("\n\n", texts));
            }
        }

        private static Map<Long, Json> byNumber(List<Json> listed, String number) {
            return listed.stream().collect(Collectors.toMap(each -> each.number(number), each -> each));
        }

        private static String explained(Json row, Map<Long, Json> requests, Map<Long, Json> deliveries) {
            StringBuilder text = new StringBuilder(row.text("id"));
            text.append(" (").append(row.text("clause")).append(", ").append(row.text("place")).append("): ");
            text.append(row.text("words"));
            for (Json number : row.items("requests")) {
                Json entry = requests.get((Long) number.value());
                text.append("\n    request ").append(number).append(": ");
                text.append(entry == null ? "no longer in the journal" : Timeline.request(entry));
            }
            for (Json number : row.items("deliveries")) {
                Json delivery = deliveries.get((Long) number.value());
                text.append("\n    delivery ").append(number).append(": ");
                text.append(delivery == null ? "no longer in the log" : describe(delivery));
            }
            return text.toString();
        }

        /** Everything for which the invoice cannot be financed now. */
        public List<Json> objections(String payee, String invoice) {
            String path = query("objections", Map.of("payee", payee, "invoice", invoice));
            return port("GET", path, null).items("objections");
        }

        /**
         * What happened, as text: requests, actions, moves of the clock, faults and webhooks in order, and the last
         * refusal with its reason.
         */
        public String timeline() {
            return Timeline.of(this);
        }

        // The world itself

        /** Brings the world back to its start. Its names are new ones. */
        public void reset() {
            port("POST", "reset", Map.of("repeat", false));
        }

        /** Brings the world back to its start; the same requests get the same bytes again. */
        public void resetAndRepeat() {
            port("POST", "reset", Map.of("repeat", true));
        }

        /** A copy with keys of its own, which goes its own way. Whoever makes it closes it. */
        public World fork() {
            World copy = World.of(url, port("POST", "worlds/" + id + "/fork", null));
            // The copy is seen by the same platform.
            return copy.platforms().get(keys.indexOf(key));
        }

        /** Deletes the world: nothing more of it is sent. To delete it again does nothing. */
        @Override
        public void close() {
            try {
                port("DELETE", "worlds/" + id, null);
            } catch (Refused refused) {
                if (refused.status() != 404) {
                    throw refused;
                }
            }
        }

        /** Whether it outlives a test that fails: a variable asks for it, and the mock outlives the tests. */
        private boolean stays() {
            String asked = System.getenv("TIDEOVER_KEEP_FAILED");
            return asked != null && !asked.isEmpty() && caller.isNamed();
        }

        @Override
        public String toString() {
            return "world " + id + " at " + url;
        }

        private Json port(String method, String path, Object body) {
            return port(method, path, body, Caller.USUAL);
        }

        private Json port(String method, String path, Object body, Duration timeout) {
            String text = body == null ? null : Json.of(body).toString();
            return caller.send(method, "/_sim/" + path, "application/json", text, timeout);
        }
    }

    /** The answer was no success. */
    public static final class Refused extends RuntimeException {
        private final int status;
        private final String code;
        private final String clause;
        private final String prose;

        private Refused(String request, int status, String code, String clause, String prose) {
            super(request + " -> " + status + " " + code + (clause == null ? "" : " [" + clause + "]") + ": " + prose);
            this.status = status;
            this.code = code;
            this.clause = clause;
            this.prose = prose;
            startAtTheCaller(this);
        }

        public int status() {
            return status;
        }

        /** The stable token by which a client decides. */
        public String code() {
            return code;
        }

        /** The clause of the document that decided the answer; null if the mock does not say it. */
        public String clause() {
            return clause;
        }

        /** The sentence for a log. It may change at any time. */
        public String prose() {
            return prose;
        }
    }

    /** What a test waited for did not happen. */
    public static final class Unmet extends AssertionError {
        private Unmet(String message) {
            super(message);
            startAtTheCaller(this);
        }
    }

    // The receiver

    /** A receiver of webhooks on a free port. It refuses with 401 what it cannot verify. */
    public static final class Webhooks implements AutoCloseable {
        private final List<String> secrets = new CopyOnWriteArrayList<>();
        private final List<Received> received = new ArrayList<>();
        private final Map<String, Json> events = new LinkedHashMap<>();
        private final Deque<Integer> answers = new ArrayDeque<>();
        private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "tideover-webhooks");
            thread.setDaemon(true);
            return thread;
        });
        private final List<World> subscribed = new CopyOnWriteArrayList<>();
        /** The worlds of its test. */
        private final List<World> mine;
        private final HttpServer server;

        public Webhooks() {
            this(List.of());
        }

        private Webhooks(List<World> mine) {
            this.mine = mine;
            try {
                InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
                server = HttpServer.create(new InetSocketAddress(here, 0), 0);
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
            server.setExecutor(threads);
            server.createContext("/", this::receive);
            server.start();
        }

        /** The URL to subscribe. */
        public String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/webhooks";
        }

        /** The secrets of those whom it believes, the newest last. */
        public List<String> secrets() {
            return List.copyOf(secrets);
        }

        /** Believes only whoever has this secret: for a subscription that your client has made. */
        public void believe(String secret) {
            secrets.clear();
            secrets.add(secret);
        }

        /** Subscribes to these types of events of the world; to all if there are none. Returns the reference. */
        public String subscribe(World world, String... eventTypes) {
            Map<String, Object> body = new HashMap<>(Map.of("url", url()));
            if (eventTypes.length > 0) {
                body.put("eventTypes", List.of(eventTypes));
            }
            Json subscription = world.request("POST", "/v1/webhooks", body);
            secrets.add(subscription.text("secret"));
            subscribed.add(world);
            return subscription.text("reference");
        }

        /** The bodies of all verified and accepted webhooks, each delivery once. */
        public synchronized List<Json> events() {
            return List.copyOf(events.values());
        }

        /** Everything that came: also repeated, refused and forged. */
        public synchronized List<Received> deliveries() {
            return List.copyOf(received);
        }

        /** Answers the next verified deliveries with this status. Without 2xx they are no events yet. */
        public synchronized void answer(int status, int times) {
            if (status < 200 || status > 599) {
                throw new IllegalArgumentException("A receiver answers a status from 200 to 599, and not " + status);
            }
            answers.addAll(Collections.nCopies(times, status));
        }

        /** The first event of this type; waits for it. */
        public Json waitFor(String event) {
            return waitFor(event, Map.of());
        }

        /**
         * The same with what it is about: {@code payee}, {@code invoice}, and fields of its data. A type that the
         * document does not have is refused at once.
         */
        public Json waitFor(String event, Map<String, ?> about) {
            return waitFor(event, about, PATIENCE);
        }

        /** The same with another patience than ten seconds. If none comes, {@link Unmet} says what came instead. */
        public synchronized Json waitFor(String event, Map<String, ?> about, Duration patience) {
            Expected expected = new Expected(event, about);
            long deadline = System.nanoTime() + notNegative(patience).toNanos();
            while (true) {
                for (Json each : events.values()) {
                    if (expected.isMetBy(each)) {
                        return each;
                    }
                }
                long rest = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (rest <= 0) {
                    List<String> came = received.stream().map(Received::toString).toList();
                    String nothing = "Nothing came at all: is " + url() + " subscribed to this event?";
                    throw expected.unmet(patience, came, nothing, waiting());
                }
                try {
                    wait(rest);
                } catch (InterruptedException interrupted) {
                    throw interrupted(interrupted);
                }
            }
        }

        /** Says for what the worlds wait that may send something: those of the test if the client has subscribed. */
        private String waiting() {
            Map<String, World> worlds = new LinkedHashMap<>();
            (subscribed.isEmpty() ? mine : subscribed).forEach(world -> worlds.put(world.id(), world));
            return worlds.values().stream().map(World::waiting).collect(Collectors.joining());
        }

        /** Frees the port. */
        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }

        @Override
        public String toString() {
            return "Webhooks(" + url() + ", " + events().size() + " events)";
        }

        private void receive(HttpExchange exchange) throws IOException {
            try (exchange) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(take(Map.copyOf(exchange.getRequestHeaders()), body), -1);
            }
        }

        private synchronized int take(Map<String, List<String>> headers, byte[] body) {
            NotVerified problem = problem(headers, body);
            int status = problem != null ? 401 : answers.isEmpty() ? 204 : answers.pop();
            String delivery = header(headers, "Service-Delivery");
            boolean isDuplicate = problem == null && delivery != null && events.containsKey(delivery);
            received.add(new Received(headers, body, status, problem, isDuplicate));
            if (status >= 200 && status < 300 && delivery != null && !isDuplicate) {
                events.put(delivery, Json.parse(new String(body, StandardCharsets.UTF_8)));
            }
            notifyAll();
            return status;
        }

        private NotVerified problem(Map<String, List<String>> headers, byte[] body) {
            NotVerified problem = new NotVerified(Reason.WRONG, "this receiver has no secret yet");
            for (String secret : secrets) {
                try {
                    verify(secret, headers, body);
                    return null;
                } catch (NotVerified doubt) {
                    problem = doubt;
                }
            }
            return problem;
        }
    }

    /**
     * A request that reached the receiver.
     *
     * @param body the raw body
     * @param status what the receiver answered
     * @param problem why the receiver does not believe it; null if it does
     * @param isDuplicate whether it is a verified delivery that was an event already
     */
    public record Received(
            Map<String, List<String>> headers, byte[] body, int status, NotVerified problem, boolean isDuplicate) {
        /** The header {@code Service-Delivery}: the same for every attempt of one delivery. */
        public String delivery() {
            return header(headers, "Service-Delivery");
        }

        /** The body as JSON. */
        public Json event() {
            return Json.parse(new String(body, StandardCharsets.UTF_8));
        }

        @Override
        public String toString() {
            String about;
            try {
                about = subject(event());
            } catch (RuntimeException noEvent) {
                about = body.length + " bytes that are no event";
            }
            return about + ": answered " + status + (problem == null ? "" : ", " + problem.getMessage());
        }
    }

    // Signatures

    /** Why a webhook is not to be believed. */
    public enum Reason {
        MISSING,
        MALFORMED,
        STALE,
        WRONG
    }

    /** The service did not just send these bytes: do not process them. */
    public static final class NotVerified extends RuntimeException {
        private final Reason reason;

        private NotVerified(Reason reason, String detail) {
            super(reason.name().toLowerCase() + ": " + detail);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }

    // Visible ASCII, so that nothing is trimmed.
    private static final Pattern FIELD = Pattern.compile("([!-+\\--<>-~]+)=([!-+\\--~]+)");
    private static final Pattern SECONDS = Pattern.compile("0|[1-9][0-9]{0,19}");
    private static final Pattern HEXADECIMAL = Pattern.compile("(?:[0-9a-fA-F]{2})+");

    /**
     * Throws {@link NotVerified} unless the service has just signed exactly these bytes (§6 Signature).
     *
     * @param headers those of the request, as any framework has them: the values are texts or lists of texts
     * @param body the raw body: JSON that was parsed and written again is another body
     */
    public static void verify(String secret, Map<String, ?> headers, byte[] body) {
        verify(secret, header(headers, "Service-Signature"), body);
    }

    /** The same with the value of the header {@code Service-Signature}; null if there is none. */
    public static void verify(String secret, String signature, byte[] body) {
        verify(secret, signature, body, Duration.ofSeconds(300), Instant.now());
    }

    /** The same with another tolerance and another time. */
    public static void verify(String secret, String signature, byte[] body, Duration tolerance, Instant now) {
        if (signature == null) {
            throw new NotVerified(Reason.MISSING, "there is no header Service-Signature");
        }
        Map<String, String> fields = new HashMap<>();
        for (String each : signature.split(",", -1)) {
            Matcher field = FIELD.matcher(each);
            boolean isKnown = field.matches() && List.of("t", "v1").contains(field.group(1));
            // A second value could be believed by one receiver and not by another.
            if (!field.matches() || isKnown && fields.put(field.group(1), field.group(2)) != null) {
                throw new NotVerified(Reason.MALFORMED, "Service-Signature is not of the form t=...,v1=...");
            }
        }
        if (fields.size() < 2) {
            throw new NotVerified(Reason.MALFORMED, "Service-Signature is not of the form t=...,v1=...");
        }
        String seconds = fields.get("t");
        if (!SECONDS.matcher(seconds).matches() || new BigInteger(seconds).bitLength() > 64) {
            throw new NotVerified(Reason.MALFORMED, "t is not a number of seconds");
        }
        if (!HEXADECIMAL.matcher(fields.get("v1")).matches()) {
            throw new NotVerified(Reason.MALFORMED, "v1 is not hexadecimal");
        }
        BigInteger age = BigInteger.valueOf(now.toEpochMilli()).subtract(new BigInteger(seconds + "000"));
        if (age.abs().compareTo(BigInteger.valueOf(tolerance.toMillis())) > 0) {
            BigInteger whole = age.abs().divide(BigInteger.valueOf(1000));
            throw new NotVerified(Reason.STALE, "signed " + whole + " seconds " + (age.signum() > 0 ? "ago" : "ahead"));
        }
        if (!MessageDigest.isEqual(digest(secret, seconds, body), HexFormat.of().parseHex(fields.get("v1")))) {
            throw new NotVerified(
                    Reason.WRONG, "the digest is not that of this time and these bytes under this secret");
        }
    }

    private static byte[] digest(String secret, String seconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
            return mac.doFinal(body);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The value of the header, whatever its case; several are joined as HTTP joins them. */
    private static String header(Map<String, ?> headers, String name) {
        List<String> values = new ArrayList<>();
        headers.forEach((key, value) -> {
            if (name.equalsIgnoreCase(key)) {
                for (Object each : value instanceof Iterable<?> several ? several : List.of(value)) {
                    values.add(each.toString());
                }
            }
        });
        return values.isEmpty() ? null : String.join(",", values);
    }

    // JSON

    /**
     * A value of JSON. A path such as {@code "advance.state"} or {@code "rows.0.outcome"} leads into it; one that
     * leads nowhere throws {@link NoSuchElementException}.
     */
    public static final class Json {
        private final Object value;

        private Json(Object value) {
            this.value = value;
        }

        public static Json parse(String text) {
            return new Json(new Parser(text).whole());
        }

        /** The value of maps, collections, texts, numbers, booleans, instants, and null. */
        public static Json of(Object value) {
            return value instanceof Json json ? json : new Json(plain(value));
        }

        /** What is at the path. */
        public Json at(String path) {
            Object here = value;
            for (String step : path.split("\\.")) {
                if (here instanceof Map<?, ?> map && map.containsKey(step)) {
                    here = map.get(step);
                } else if (here instanceof List<?> list && isIndex(step) && Integer.parseInt(step) < list.size()) {
                    here = list.get(Integer.parseInt(step));
                } else {
                    throw new NoSuchElementException("There is no " + path + " in " + this);
                }
            }
            return new Json(here);
        }

        /** Whether there is anything but null at the path. */
        public boolean has(String path) {
            try {
                return at(path).value != null;
            } catch (NoSuchElementException nothing) {
                return false;
            }
        }

        /** The text at the path; null if it is null there. */
        public String text(String path) {
            return as(String.class, path, true);
        }

        public long number(String path) {
            return as(Long.class, path, false);
        }

        public boolean flag(String path) {
            return as(Boolean.class, path, false);
        }

        /** The elements of the array at the path. */
        public List<Json> items(String path) {
            return at(path).items();
        }

        /** The elements of this array. */
        public List<Json> items() {
            if (value instanceof List<?> list) {
                return list.stream().map(Json::new).toList();
            }
            throw new ClassCastException("This is no array: " + this);
        }

        /** A Map, a List, a String, a Long, a BigDecimal, a Boolean, or null. */
        public Object value() {
            return value;
        }

        @SuppressWarnings("unchecked")
        private Map<String, Object> fields() {
            return (Map<String, Object>) value;
        }

        private <T> T as(Class<T> type, String path, boolean mayBeNull) {
            Object found = at(path).value;
            if (type.isInstance(found) || mayBeNull && found == null) {
                return type.cast(found);
            }
            throw new ClassCastException(path + " is no " + type.getSimpleName() + " in " + this);
        }

        private static boolean isIndex(String step) {
            return step.matches("[0-9]{1,9}");
        }

        private static Object plain(Object value) {
            if (value instanceof Json json) {
                return json.value;
            }
            if (value instanceof Map<?, ?> map) {
                Map<String, Object> fields = new LinkedHashMap<>();
                map.forEach((name, each) -> fields.put(name.toString(), plain(each)));
                return fields;
            }
            if (value instanceof Collection<?> items) {
                return items.stream().map(Json::plain).collect(Collectors.toList());
            }
            if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
                return ((Number) value).longValue();
            }
            if (value instanceof Number && !(value instanceof Long)) {
                return new BigDecimal(value.toString());
            }
            if (value == null || value instanceof Long || value instanceof Boolean) {
                return value;
            }
            if (value instanceof CharSequence || value instanceof Instant || value instanceof Enum<?>) {
                return value.toString();
            }
            throw new IllegalArgumentException(value.getClass().getName() + " is no value of JSON");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Json json && Objects.equals(value, json.value);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(value);
        }

        /** The text of JSON. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            write(value, text);
            return text.toString();
        }

        private static void write(Object value, StringBuilder text) {
            if (value instanceof Map<?, ?> map) {
                String separator = "{";
                for (Map.Entry<?, ?> field : map.entrySet()) {
                    text.append(separator);
                    write(field.getKey(), text);
                    text.append(':');
                    write(field.getValue(), text);
                    separator = ",";
                }
                text.append(map.isEmpty() ? "{}" : "}");
            } else if (value instanceof List<?> list) {
                String separator = "[";
                for (Object each : list) {
                    text.append(separator);
                    write(each, text);
                    separator = ",";
                }
                text.append(list.isEmpty() ? "[]" : "]");
            } else if (value instanceof String string) {
                text.append('"');
                for (char each : string.toCharArray()) {
                    if (each == '"' || each == '\\') {
                        text.append('\\').append(each);
                    } else if (each < ' ') {
                        text.append(String.format("\\u%04x", (int) each));
                    } else {
                        text.append(each);
                    }
                }
                text.append('"');
            } else {
                text.append(value);
            }
        }
    }

    /** Reads JSON. */
    private static final class Parser {
        private static final Pattern NUMBER =
                Pattern.compile("-?(?:0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

        private final String text;
        private int place;

        Parser(String text) {
            this.text = text;
        }

        Object whole() {
            Object value = value();
            space();
            if (place < text.length()) {
                throw wrong();
            }
            return value;
        }

        private Object value() {
            space();
            if (takes("{")) {
                return fields();
            }
            if (takes("[")) {
                return items();
            }
            if (takes("\"")) {
                return string();
            }
            if (takes("true")) {
                return true;
            }
            if (takes("false")) {
                return false;
            }
            if (takes("null")) {
                return null;
            }
            return number();
        }

        private Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            space();
            if (takes("}")) {
                return fields;
            }
            do {
                space();
                expect("\"");
                String name = string();
                space();
                expect(":");
                fields.put(name, value());
                space();
            } while (takes(","));
            expect("}");
            return fields;
        }

        private List<Object> items() {
            List<Object> items = new ArrayList<>();
            space();
            if (takes("]")) {
                return items;
            }
            do {
                items.add(value());
                space();
            } while (takes(","));
            expect("]");
            return items;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            while (!takes("\"")) {
                char each = next();
                if (each < ' ') {
                    throw wrong();
                }
                string.append(each == '\\' ? escaped(next()) : each);
            }
            return string.toString();
        }

        private char escaped(char letter) {
            return switch (letter) {
                case '"', '\\', '/' -> letter;
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'u' -> {
                    String digits = text.substring(place, Math.min(place + 4, text.length()));
                    if (!digits.matches("[0-9a-fA-F]{4}")) {
                        throw wrong();
                    }
                    place += 4;
                    yield (char) Integer.parseInt(digits, 16);
                }
                default -> throw wrong();
            };
        }

        private Object number() {
            Matcher number = NUMBER.matcher(text).region(place, text.length());
            if (!number.lookingAt()) {
                throw wrong();
            }
            place = number.end();
            BigDecimal value = new BigDecimal(number.group());
            boolean isLong = number.group(1) == null && number.group(2) == null
                    && value.unscaledValue().bitLength() < 64;
            return isLong ? (Object) value.longValueExact() : value;
        }

        private void space() {
            while (place < text.length() && " \t\r\n".indexOf(text.charAt(place)) >= 0) {
                place++;
            }
        }

        private char next() {
            if (place == text.length()) {
                throw wrong();
            }
            return text.charAt(place++);
        }

        private boolean takes(String token) {
            boolean isThere = text.startsWith(token, place);
            place += isThere ? token.length() : 0;
            return isThere;
        }

        private void expect(String token) {
            if (!takes(token)) {
                throw wrong();
            }
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("This is no JSON, at character " + place + ": " + text);
        }
    }

    // What the parts above share

    /** Sends requests to one address with one API key, and never through a proxy. */
    private record Caller(String url, String key) {
        static final Duration USUAL = Duration.ofSeconds(60);
        /** How long the clock may be on its way: each receiver that hangs takes a real second of each attempt. */
        static final Duration LONG = Duration.ofSeconds(600);

        private static final HttpClient CLIENT = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();

        Json send(String method, String path, Object body) {
            return send(method, path, "application/json", body == null ? null : Json.of(body).toString(), USUAL);
        }

        Json send(String method, String path, String contentType, String body, Duration timeout) {
            HttpRequest.Builder request = HttpRequest.newBuilder(address(path)).timeout(timeout);
            if (key != null) {
                request.header("Authorization", "Bearer " + key);
            }
            if (body != null) {
                request.header("Content-Type", contentType);
            }
            request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            HttpResponse<String> answer;
            try {
                answer = CLIENT.send(request.build(), BodyHandlers.ofString());
            } catch (ConnectException problem) {
                // Its message is often none: it says at least whom the test has asked.
                String why = problem.getMessage() == null ? "nobody listens there" : problem.getMessage();
                throw new UncheckedIOException(
                        "The mock at " + url + named() + " cannot be reached: " + why, problem);
            } catch (IOException problem) {
                throw new UncheckedIOException(method + " " + path + ": " + problem.getMessage(), problem);
            } catch (InterruptedException interrupted) {
                throw interrupted(interrupted);
            }
            if (answer.statusCode() >= 300) {
                throw refused(method + " " + path, answer);
            }
            return answer.body().isEmpty() ? new Json(null) : Json.parse(answer.body());
        }

        private URI address(String path) {
            if (!url.matches("https?://[^/]+.*")) {
                throw new IllegalArgumentException(
                        "\"" + url + "\"" + named() + " is no address such as http://127.0.0.1:4010");
            }
            return URI.create(url + path);
        }

        /** Says where the address comes from, if it is the variable. */
        private String named() {
            return isNamed() ? ", which the variable TIDEOVER_URL names," : "";
        }

        /** Whether the variable has the address: somebody else runs the mock. */
        boolean isNamed() {
            String named = System.getenv("TIDEOVER_URL");
            return named != null && Mock.at(named).url().equals(url);
        }

        private static Refused refused(String request, HttpResponse<String> answer) {
            String clause = answer.headers().firstValue("Tideover-Clause").orElse(null);
            String code = "";
            String prose = answer.body();
            try {
                Json failure = Json.parse(answer.body());
                prose = failure.text("error");
                code = failure.text("code");
            } catch (RuntimeException notTheMock) {
                // The body says what answered.
            }
            return new Refused(request, answer.statusCode(), code, clause, prose);
        }
    }

    /** An event of this type whose data has these values. */
    private static final class Expected {
        /** The types that the document has (§6). */
        private static final List<String> TYPES = List.of(
                "partner.organization.added",
                "partner.organization.optedIn",
                "partner.organization.remittanceUpdated",
                "partner.invoice.created",
                "partner.invoice.paid",
                "partner.invoice.factoredUpdated",
                "partner.loan.created",
                "partner.loan.issued",
                "partner.loan.paid");

        /** The types that the document does not have, and the mock may send: by a fault, or greased (§9 rule 4). */
        private static final List<String> UNLISTED = List.of(
                "partner.account.reviewed",
                "partner.document.available",
                "partner.notice.sent",
                "partner.record.archived");

        /** What the data of events have, and the last one that the fault unknownField adds. */
        private static final List<String> ABOUT = List.of(
                "payee",
                "invoice",
                "state",
                "collected",
                "advanceAmount",
                "externalId",
                "payeeExternalId",
                "invoiceExternalId",
                "addedField");

        private final String event;
        private final Map<String, Object> about = new LinkedHashMap<>();

        Expected(String event, Map<String, ?> about) {
            if (!TYPES.contains(event) && !UNLISTED.contains(event)) {
                throw new IllegalArgumentException("There is no event " + event + ". " + hint(event));
            }
            this.event = event;
            about.forEach((name, value) -> {
                if (!ABOUT.contains(name)) {
                    throw new IllegalArgumentException(
                            "No event has " + name + ". It may be about " + String.join(", ", ABOUT));
                }
                this.about.put(name, Json.of(value).value());
            });
        }

        boolean isMetBy(Json body) {
            if (!body.has("type") || !body.text("type").equals(event)) {
                return false;
            }
            return about.entrySet().stream().allMatch(each -> {
                String name = each.getKey();
                String field = switch (name) {
                    // Events of organizations name the business itself, all others the payee of an invoice.
                    case "payee" -> body.has("data.payeeExternalId") ? "payeeExternalId" : "externalId";
                    case "invoice" -> "invoiceExternalId";
                    default -> name;
                };
                return body.has("data." + field)
                        && body.at("data." + field).value().equals(each.getValue());
            });
        }

        private static String hint(String event) {
            String nearest = Collections.min(TYPES, Comparator.comparing(type -> distance(event, type)));
            return 2 * distance(event, nearest) <= nearest.length()
                    ? "Did you mean " + nearest + "?"
                    : "The document has these: " + String.join(", ", TYPES);
        }

        /** How many letters to insert, remove or replace make one text of the other. */
        private static int distance(String one, String other) {
            int[] row = IntStream.rangeClosed(0, other.length()).toArray();
            for (int line = 0; line < one.length(); line++) {
                int diagonal = row[0];
                row[0] = line + 1;
                for (int column = 0; column < other.length(); column++) {
                    int replaced = diagonal + (one.charAt(line) == other.charAt(column) ? 0 : 1);
                    diagonal = row[column + 1];
                    row[column + 1] = Math.min(replaced, Math.min(row[column], diagonal) + 1);
                }
            }
            return row[other.length()];
        }

        Unmet unmet(Duration patience, List<String> came, String nothing, String waiting) {
            String instead = came.isEmpty() ? nothing : "Instead came:\n  " + String.join("\n  ", came);
            return new Unmet(this + " did not come within " + patience.toMillis() / 1000.0 + " seconds. " + instead
                    + waiting);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(event);
            about.forEach((name, value) -> text.append(' ').append(name).append('=').append(value));
            return text.toString();
        }
    }

    /** The event and its data in few words. */
    private static String subject(Json event) {
        String type = event.has("type") ? event.text("type") : "no event";
        Object data = event.has("data") ? event.at("data").value() : Map.of();
        String values = data instanceof Map<?, ?> map
                ? map.values().stream().map(Objects::toString).collect(Collectors.joining(" "))
                : data.toString();
        return type + " (" + values + ")";
    }

    /** What the receiver answered, or why it did not. */
    private static String outcome(Json attempt) {
        return attempt.has("status")
                ? attempt.at("status").toString()
                : attempt.has("problem") ? attempt.text("problem") : "no answer yet";
    }

    private static String query(String path, Map<String, ?> filters) {
        List<String> pairs = new ArrayList<>();
        filters.forEach((name, value) ->
                pairs.add(name + "=" + URLEncoder.encode(value.toString(), StandardCharsets.UTF_8)));
        String query = String.join("&", pairs);
        return query.isEmpty() ? path : path + "?" + query;
    }

    private static Duration notNegative(Duration patience) {
        if (patience.isNegative()) {
            throw new IllegalArgumentException("The patience is negative: " + patience);
        }
        return patience;
    }

    private static void pause(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    /** Lets the trace begin at the line of the test: what failed is not this file. */
    private static void startAtTheCaller(Throwable problem) {
        String own = Tideover.class.getName();
        problem.setStackTrace(Arrays.stream(problem.getStackTrace())
                .dropWhile(frame -> frame.getClassName().equals(own) || frame.getClassName().startsWith(own + "$"))
                .toArray(StackTraceElement[]::new));
    }

    private static IllegalStateException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("The test was interrupted", interrupted);
    }

    /** What happened in a world, for the report of a failed test. */
    private static final class Timeline {
        /** Nobody reads more. */
        private static final int LONGEST = 60;

        /** A request, or something that was done beside the API. It lasts as long as the clock moves. */
        private record Step(Instant begin, Instant end, String text) {}

        /** An attempt of a delivery, and how often the delivery was sent again before. */
        private record Sent(Json delivery, Json attempt, int resend) {
            Instant at() {
                return Instant.parse(attempt.text("at"));
            }
        }

        /** What happened in order, but for the webhooks. */
        private final List<Step> steps = new ArrayList<>();
        /** The numbers of deliveries, with the place of the request that caused each. */
        private final Map<Long, Integer> causes = new HashMap<>();
        /** The numbers of the first deliveries after an intervention, with its place: the last one, if several. */
        private final TreeMap<Long, Integer> acts = new TreeMap<>();
        /** The places where a delivery was sent again, by its identifier. */
        private final Map<String, List<Integer>> resends = new HashMap<>();

        private Timeline(List<Json> requests, List<Json> interventions, Set<Long> idle) {
            Deque<Json> left = new ArrayDeque<>(interventions);
            for (Json request : requests) {
                while (!left.isEmpty() && left.peek().number("nextRequest") <= request.number("number")) {
                    addAct(left.pop(), idle);
                }
                addRequest(request);
            }
            left.forEach(act -> addAct(act, idle));
        }

        private void addRequest(Json entry) {
            entry.items("events").forEach(event -> causes.put(event.number("index"), steps.size()));
            Instant time = Instant.parse(entry.text("time"));
            steps.add(new Step(time, time, request(entry)));
        }

        private void addAct(Json act, Set<Long> idle) {
            if (act.text("kind").equals("resent") && !act.has("refused")) {
                resends.computeIfAbsent(act.text("delivery"), id -> new ArrayList<>()).add(steps.size());
            } else {
                acts.put(act.number("nextDelivery"), steps.size());
            }
            Instant begin = Instant.parse(act.text("time"));
            Instant end = act.has("until") ? Instant.parse(act.text("until")) : begin;
            steps.add(new Step(begin, end, intervention(act, idle.contains(act.number("number")))));
        }

        static String of(World world) {
            List<Json> requests = world.journal();
            List<Json> interventions = world.port("GET", "interventions", null).items("interventions");
            Set<Long> idle = new HashSet<>();
            List<String> older = idle(interventions, world.faults(), idle);
            List<String> lines = new Timeline(requests, interventions, idle).inOrder(world.deliveries());
            if (lines.isEmpty() && older.isEmpty()) {
                return "Nothing: no request came with a key of this world.";
            }
            int more = lines.size() - LONGEST;
            List<String> report = new ArrayList<>();
            if (more > 0) {
                report.add("(" + more + " earlier lines are left out)");
            }
            report.addAll(lines.subList(Math.max(more, 0), lines.size()));
            older.forEach(label -> report.add("from the start  fault " + label + " (never acted)"));
            if (requests.isEmpty()) {
                report.addAll(List.of("", "No request came with a key of this world."));
            }
            // What a fault answers may have a status alone.
            requests.stream()
                    .filter(each -> each.has("status") && each.number("status") >= 400)
                    .reduce((earlier, later) -> later)
                    .ifPresent(refused -> report.addAll(List.of("", refusal(refused))));
            return String.join("\n", report);
        }

        /**
         * Adds the numbers of the interventions that added a rule which never acted. Returns the labels of such rules
         * that are older than all interventions. An intervention has the label of its rule alone, so that the newest
         * go together.
         */
        private static List<String> idle(List<Json> interventions, List<Json> rules, Set<Long> idle) {
            Map<String, Deque<Long>> added = new HashMap<>();
            for (Json act : interventions) {
                Deque<Long> same = added.computeIfAbsent(act.text("fault"), label -> new ArrayDeque<>());
                switch (act.text("kind")) {
                    case "faultAdded" -> same.push(act.number("number"));
                    case "faultRemoved" -> same.poll();
                    case "faultsCleared" -> added.clear();
                    default -> {}
                }
            }
            Deque<String> older = new ArrayDeque<>();
            for (int index = rules.size() - 1; index >= 0; index--) {
                String label = rules.get(index).text("label");
                Long number = added.getOrDefault(label, new ArrayDeque<>()).poll();
                boolean isIdle = rules.get(index).number("fired") == 0;
                if (isIdle && number != null) {
                    idle.add(number);
                } else if (isIdle) {
                    older.push(label);
                }
            }
            return List.copyOf(older);
        }

        private List<String> inOrder(List<Json> deliveries) {
            Map<Integer, List<String>> after = new HashMap<>();
            attempts(deliveries).forEach(sent ->
                    after.computeIfAbsent(place(sent), place -> new ArrayList<>()).add(webhook(sent)));
            // Those of no step stand before all.
            List<String> lines = new ArrayList<>(after.getOrDefault(-1, List.of()));
            for (int place = 0; place < steps.size(); place++) {
                lines.add(steps.get(place).text());
                lines.addAll(after.getOrDefault(place, List.of()));
            }
            return lines;
        }

        /** Those of all deliveries, in the order of their times. */
        private static List<Sent> attempts(List<Json> deliveries) {
            List<Sent> sent = new ArrayList<>();
            for (Json delivery : deliveries) {
                int resend = 0;
                for (Json attempt : delivery.items("attempts")) {
                    sent.add(new Sent(delivery, attempt, resend));
                    resend += attempt.text("cause").equals("resent") ? 1 : 0;
                }
            }
            sent.sort(Comparator.comparing(Sent::at).thenComparing(each -> each.delivery().number("index")));
            return sent;
        }

        /**
         * The place of the step after which an attempt came: its cause, or the move of the clock that brought it. Where
         * a clock runs, it is the last step before.
         */
        private int place(Sent sent) {
            int last = cause(sent);
            for (int place = Math.max(last, 0); place < steps.size(); place++) {
                if (steps.get(place).begin().isAfter(sent.at())) {
                    break;
                }
                last = place;
                if (!steps.get(place).end().isBefore(sent.at())) {
                    break;
                }
            }
            return last;
        }

        /** The place of the step before which an attempt cannot be; -1 if there is none. */
        private int cause(Sent sent) {
            List<Integer> again = resends.getOrDefault(sent.delivery().text("id"), List.of());
            if (sent.attempt().text("cause").equals("resent") && sent.resend() < again.size()) {
                return again.get(sent.resend());
            }
            long index = sent.delivery().number("index");
            Map.Entry<Long, Integer> act = acts.floorEntry(index);
            return causes.getOrDefault(index, act == null ? -1 : act.getValue());
        }

        private static String intervention(Json act, boolean isIdle) {
            String what = switch (act.text("kind")) {
                case "action" -> "action " + act.text("action") + about(act);
                case "clockMoved" -> "clock moves" + (act.has("until") ? " to " + act.text("until") : "");
                case "faultAdded" -> "fault " + act.text("fault") + " is added";
                case "faultRemoved" -> "fault " + act.text("fault") + " is removed";
                case "faultsCleared" -> "all faults are removed";
                case "resent" -> "webhook " + act.text("delivery") + " is sent again";
                default -> act.text("kind");
            };
            return act.text("time") + "  " + what + (isIdle ? " (never acted)" : "")
                    + (act.has("refused") ? " -> refused: " + act.text("refused") : "");
        }

        /** The values of an action, as those of an event stand. */
        private static String about(Json act) {
            String values = Stream.of("payee", "invoice", "amount")
                    .filter(act::has)
                    .map(name -> act.at(name).value().toString())
                    .collect(Collectors.joining(" "));
            return values.isEmpty() ? "" : " (" + values + ")";
        }

        private static String request(Json entry) {
            StringBuilder line = new StringBuilder(entry.text("time"));
            line.append("  ").append(entry.text("method")).append(' ').append(entry.text("path"));
            if (entry.has("query")) {
                line.append('?').append(entry.text("query"));
            }
            line.append(" -> ").append(entry.has("status") ? entry.at("status") : "no answer");
            line.append(entry.has("code") ? " " + entry.text("code") : "");
            line.append(entry.has("clause") ? "  [" + entry.text("clause") + "]" : "");
            line.append(entry.has("fault") ? "  fault: " + entry.text("fault") : "");
            if (entry.has("note")) {
                line.append("\n    ").append(entry.text("note"));
            }
            if (entry.has("warnings")) {
                entry.items("warnings").forEach(each -> line.append("\n    ").append(each.value()));
            }
            return line.toString();
        }

        private static String webhook(Sent sent) {
            long number = sent.attempt().number("number");
            return sent.attempt().text("at") + "    webhook " + subject(sent.delivery().at("body"))
                    + (number > 1 ? ", attempt " + number : "") + " -> " + outcome(sent.attempt())
                    + (sent.delivery().has("fault") ? "  fault: " + sent.delivery().text("fault") : "");
        }

        private static String refusal(Json entry) {
            String code = (entry.has("code") ? entry.at("code") : entry.at("status")).value().toString();
            String prose = "its prose was not kept";
            try {
                Json failure = Json.parse(entry.text("response.body.text"));
                prose = failure.text("error");
                code = failure.text("code");
            } catch (RuntimeException notKept) {
                // It was too long, or it did not leave.
            }
            String clause = entry.has("clause") ? ", decided by clause " + entry.text("clause") : "";
            String fault = entry.has("fault") ? ", made by the fault " + entry.text("fault") : "";
            return "The last refusal was " + code + clause + fault + ":\n    " + prose;
        }
    }
}
