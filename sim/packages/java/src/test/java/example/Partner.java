package example;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tideover.Tideover.Json;

/**
 * A client as the document asks for one: it retries what it may. Your own takes the JSON library that you have in
 * place of {@link Json}.
 */
final class Partner {
    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String key;
    private final Duration backoff;

    Partner(String url, String key, Duration backoff) {
        this.url = url;
        this.key = key;
        this.backoff = backoff;
    }

    /** The service has refused a request. Decide by the code: the prose may change. */
    static final class Declined extends RuntimeException {
        final int status;
        final String code;

        Declined(int status, Json failure) {
            super(status + " " + failure.text("code") + ": " + failure.text("error"));
            this.status = status;
            this.code = failure.text("code");
        }
    }

    void syncVendor(String vendor, String legalName, String taxId) throws IOException {
        repeatable("PUT", "/v1/organizations/" + part(vendor), Map.of("legalName", legalName, "taxId", taxId));
    }

    void setPayoutAccount(String vendor, String account, String routing) throws IOException {
        Map<String, String> body = Map.of("accountNumber", account, "routingNumber", routing);
        repeatable("PUT", "/v1/organizations/" + part(vendor) + "/payout-account", body);
    }

    void syncInvoice(String invoice, Map<String, ?> fields) throws IOException {
        Map<String, Object> body = new LinkedHashMap<>(fields);
        body.putIfAbsent("status", "ISSUED");
        repeatable("PUT", "/v1/invoices/" + part(invoice), body);
    }

    void invite(String vendor, String email) throws IOException {
        repeatable("POST", "/v1/invitations", Map.of("externalId", vendor, "email", email));
    }

    Json quote(String vendor, long faceValue) throws IOException {
        return repeatable("POST", "/v1/quotes", Map.of("externalId", vendor, "invoiceFaceValue", faceValue));
    }

    /** The advance, and the account that the payor has to pay into from now on. */
    Json requestAdvance(String vendor, String invoice) throws IOException {
        Map<String, String> body = Map.of("payeeExternalId", vendor, "invoiceExternalId", invoice);
        return repeatable("POST", "/v1/advances", body);
    }

    Json readInvoice(String vendor, String invoice) throws IOException {
        return repeatable("GET", "/v1/organizations/" + part(vendor) + "/invoices/" + part(invoice), null);
    }

    /** The secret. If the answer is lost, the subscription is deleted and made again. */
    String subscribe(String hooks) throws IOException {
        try {
            return send("POST", "/v1/webhooks", Map.of("url", hooks)).text("secret");
        } catch (Declined declined) {
            if (!List.of("already_subscribed", "upstream_failed").contains(declined.code)) {
                throw declined;
            }
        } catch (IOException lost) {
            // It may have been made.
        }
        for (Json live : repeatable("GET", "/v1/webhooks", null).items()) {
            if (live.text("url").equals(hooks)) {
                unsubscribe(live.text("reference"));
            }
        }
        return send("POST", "/v1/webhooks", Map.of("url", hooks)).text("secret");
    }

    private void unsubscribe(String reference) throws IOException {
        try {
            repeatable("DELETE", "/v1/webhooks/" + reference, null);
        } catch (Declined declined) {
            // A repetition may find that the first request has deleted it.
            if (!declined.code.equals("subscription_not_found")) {
                throw declined;
            }
        }
    }

    /** Sends what is safe to repeat: again after 502, and if there is no answer. */
    private Json repeatable(String method, String path, Object body) throws IOException {
        for (int attempt = 0; ; attempt++) {
            try {
                return send(method, path, body);
            } catch (Declined declined) {
                if (declined.status != 502 || attempt == 3) {
                    throw declined;
                }
            } catch (IOException lost) {
                if (attempt == 3) {
                    throw lost;
                }
            }
            sleep(backoff.multipliedBy(1L << attempt));
        }
    }

    private Json send(String method, String path, Object body) throws IOException {
        BodyPublisher content =
                body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.of(body).toString());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + key)
                .method(method, content);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> answer;
        try {
            answer = http.send(request.build(), BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
        if (answer.statusCode() >= 300) {
            throw new Declined(answer.statusCode(), Json.parse(answer.body()));
        }
        return answer.body().isEmpty() ? Json.of(null) : Json.parse(answer.body());
    }

    private static void sleep(Duration duration) throws IOException {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private static String part(String identifier) {
        return URLEncoder.encode(identifier, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
