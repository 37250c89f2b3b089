package example;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tideover.Tideover;
import tideover.Tideover.Json;
import tideover.Tideover.NotVerified;

/** What the platform knows. Keep yours in a database, with one transaction for each webhook. */
public class Books {
    /** Two vendors may have an invoice of the same name: the pair is the key. */
    public record Invoice(String payee, String name) {}

    /** The state of an advance, by the event of the greatest sequence. */
    public record State(long sequence, String name) {}

    public String secret = "";
    public final Set<String> done = new HashSet<>();
    public final Map<Invoice, State> advances = new HashMap<>();
    public final List<Invoice> paid = new ArrayList<>();
    public final List<String> ignored = new ArrayList<>();

    /** Processes a webhook; returns the status to answer with. The body is the raw one. */
    public synchronized int receive(Map<String, List<String>> headers, byte[] body) {
        try {
            verify(headers, body);
        } catch (NotVerified doubt) {
            // Not 410, which would end the subscription.
            return 401;
        }
        String delivery = headers.entrySet().stream()
                .filter(each -> each.getKey().equalsIgnoreCase("Service-Delivery"))
                .map(each -> each.getValue().get(0))
                .findFirst()
                .orElseThrow();
        if (done.contains(delivery)) {
            ignored.add("repeated");
            return 204;
        }
        process(Json.parse(new String(body, StandardCharsets.UTF_8)));
        // Not earlier: a webhook that could not be processed is to come again.
        done.add(delivery);
        return 204;
    }

    protected void verify(Map<String, List<String>> headers, byte[] body) {
        Tideover.verify(secret, headers, body);
    }

    protected void process(Json event) {
        switch (event.text("type")) {
            case "partner.invoice.factoredUpdated" -> {
                State held = advances.getOrDefault(invoice(event), new State(0, ""));
                if (event.number("sequence") <= held.sequence()) {
                    ignored.add("out of date");
                } else {
                    advances.put(invoice(event), new State(event.number("sequence"), event.text("data.state")));
                }
            }
            case "partner.loan.paid" -> paid.add(invoice(event));
            default -> {
                // A type that is not known yet is accepted, and changes nothing.
            }
        }
    }

    private static Invoice invoice(Json event) {
        return new Invoice(event.text("data.payeeExternalId"), event.text("data.invoiceExternalId"));
    }
}
