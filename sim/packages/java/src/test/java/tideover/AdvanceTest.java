package tideover;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tideover.Tideover.InWorld;
import tideover.Tideover.Webhooks;
import tideover.Tideover.World;

class AdvanceTest {
    @Test
    @InWorld(scenario = "onboarded")
    void anAdvanceIsRepaid(World world, Webhooks webhooks) {
        webhooks.subscribe(world);
        world.request("POST", "/v1/advances", Map.of("payeeExternalId", "acme", "invoiceExternalId", "INV-1"));
        world.untilQuiet(); // The advance is funded.
        world.payorPays("acme", "INV-1", 1_000_000);
        webhooks.waitFor("partner.loan.paid", Map.of("payee", "acme", "invoice", "INV-1"));
    }
}
