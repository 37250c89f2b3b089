package tideover;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import tideover.Tideover.Json;

/** Reads the operator port of the default world, without a key. */
record PortReader(String url) {
    Json read(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).build();
            return Json.parse(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
        } catch (IOException | InterruptedException problem) {
            throw new IllegalStateException(problem);
        }
    }

    boolean isUp() {
        try {
            return read("/_sim/health").value() != null;
        } catch (IllegalStateException down) {
            return false;
        }
    }
}
