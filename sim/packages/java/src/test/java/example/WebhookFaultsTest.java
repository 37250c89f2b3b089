package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tideover.Tideover.InWorld;
import tideover.Tideover.Json;
import tideover.Tideover.Received;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

@InWorld(scenario = "onboarded")
class WebhookFaultsTest {
    private static final Map<String, String> ADVANCE = Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1");

    /** The event of each invoice that has the greatest sequence. */
    private static Map<List<String>, Json> newest(List<Json> events) {
        Map<List<String>, Json> newest = new HashMap<>();
        for (Json event : events) {
            if (event.text("type").equals("partner.invoice.factoredUpdated")) {
                Json data = event.at("data");
                List<String> invoice = List.of(data.text("payeeExternalId"), data.text("invoiceExternalId"));
                Json held = newest.get(invoice);
                if (held == null || event.number("sequence") > held.number("sequence")) {
                    newest.put(invoice, event);
                }
            }
        }
        return newest;
    }

    @Test
    void anOlderStateNeverWins(World world, Webhooks webhooks) {
        webhooks.subscribe(world, "partner.invoice.factoredUpdated");
        world.fault("deliverySwapped", Map.of("event", "partner.invoice.factoredUpdated", "nth", 2));
        world.request("POST", "/v1/advances", ADVANCE);
        world.untilQuiet();
        assertEquals(List.of(1L, 3L, 2L), webhooks.events().stream().map(each -> each.number("sequence")).toList());
        assertEquals("FUNDED", newest(webhooks.events()).get(List.of("acme", "INV-1")).text("data.state"));
    }

    @Test
    void aRepeatedDeliveryIsOneEvent(World world, Webhooks webhooks) {
        webhooks.subscribe(world, "partner.loan.issued");
        world.fault("deliveryDuplicated", Map.of("event", "partner.loan.issued", "nth", 1));
        world.request("POST", "/v1/advances", ADVANCE);
        world.untilQuiet();
        assertEquals(List.of(false, true), webhooks.deliveries().stream().map(Received::isDuplicate).toList());
        assertEquals(1, webhooks.events().size());
    }
}
