package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tideover.Tideover.Json;
import tideover.Tideover.NotVerified;
import tideover.Tideover.Reason;

/** Signatures, by the vectors of the repository. */
class SignatureTest {
    private static final Path VECTORS = Path.of("../../../fixtures/signature");
    private static final Map<String, Reason> REASONS = Map.of(
            "absent", Reason.MISSING,
            "malformed", Reason.MALFORMED,
            "notHexadecimal", Reason.MALFORMED,
            "tooOld", Reason.STALE,
            "tooFarInTheFuture", Reason.STALE,
            "digestDiffers", Reason.WRONG);
    private static final Duration TOLERANCE = Duration.ofSeconds(300);

    static String signed(String secret, String body, long seconds) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        byte[] digest = mac.doFinal((seconds + "." + body).getBytes(StandardCharsets.UTF_8));
        return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(digest);
    }

    private static Reason verdict(Json vector) {
        byte[] body = HexFormat.of().parseHex(vector.text("bodyHex"));
        Instant now = Instant.ofEpochSecond(vector.number("now"));
        try {
            Tideover.verify(vector.text("secret"), vector.text("header"), body, TOLERANCE, now);
        } catch (NotVerified problem) {
            return problem.reason();
        }
        return null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"accept.json", "reject.json", "open.json"})
    void aReceiverBelievesWhatTheServiceSays(String file) throws IOException {
        List<Json> vectors = Json.parse(Files.readString(VECTORS.resolve(file))).items();
        List<String> wrong = new ArrayList<>();
        for (Json vector : vectors) {
            Reason expected = vector.has("rejection") ? REASONS.get(vector.text("rejection")) : null;
            if (verdict(vector) != expected) {
                wrong.add(vector.text("name") + ": " + verdict(vector));
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(vectors.size() > 40);
    }

    @Test
    void headersAreThoseOfAnyFramework() throws GeneralSecurityException {
        String header = signed("whsec_1", "{}", Instant.now().getEpochSecond());
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        Tideover.verify("whsec_1", header, body);
        Tideover.verify("whsec_1", Map.of("SERVICE-SIGNATURE", header), body);
        Tideover.verify("whsec_1", Map.of("service-signature", List.of(header)), body);
        Map<String, List<String>> twice = Map.of("Service-Signature", List.of(header, header));
        NotVerified doubt = assertThrows(NotVerified.class, () -> Tideover.verify("whsec_1", twice, body));
        assertEquals(Reason.MALFORMED, doubt.reason());
        doubt = assertThrows(NotVerified.class, () -> Tideover.verify("whsec_1", Map.of(), body));
        assertEquals(Reason.MISSING, doubt.reason());
    }

    @Test
    void aSignatureHoldsForAWhile() throws GeneralSecurityException {
        String header = signed("whsec_1", "{}", 1_000);
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        Instant later = Instant.ofEpochSecond(1_010);
        Tideover.verify("whsec_1", header, body, Duration.ofSeconds(10), later);
        NotVerified stale = assertThrows(
                NotVerified.class,
                () -> Tideover.verify("whsec_1", header, body, Duration.ofSeconds(10), later.plusMillis(1)));
        assertEquals("stale: signed 10 seconds ago", stale.getMessage());
    }
}
