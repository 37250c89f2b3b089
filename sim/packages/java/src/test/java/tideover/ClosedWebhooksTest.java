package tideover;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import tideover.Tideover.Webhooks;

/** Alone, since another test could take the port that is free. */
@Isolated
class ClosedWebhooksTest {
    @Test
    void aClosedReceiverFreesItsPort() throws IOException {
        Webhooks webhooks = new Webhooks();
        int port = URI.create(webhooks.url()).getPort();
        webhooks.close();
        new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")).close();
    }
}
