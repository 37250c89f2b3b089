package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tideover.Tideover.Json;

/** What the guides show is what the tests run. */
class ReadmeTest {
    private static String shown(String page, String beginning) throws IOException {
        String text = Files.readString(Path.of(page));
        int start = text.indexOf("```java\n" + beginning) + "```java\n".length();
        return text.substring(start, text.indexOf("```", start));
    }

    private static String source(String test) throws IOException {
        return Files.readString(Path.of("src/test/java/" + test));
    }

    @Test
    void theTestOfTheReadmeIsOne() throws IOException {
        // A user's test has a package of its own.
        String imports = source("tideover/AdvanceTest.java").replace("package tideover;\n\n", "");
        assertEquals(imports, shown("README.md", "import java.util.Map;"));
        assertEquals(imports, shown("../../../docs/tests.md", "import java.util.Map;"));
    }

    @Test
    void theFaultsOfTheGuideArePlayed() throws IOException {
        String page = "../../../docs/webhook-faults.md";
        assertEquals(source("example/WebhookFaultsTest.java"), shown(page, "package example;"));
    }

    @Test
    void theReadmeNamesEachAct() throws IOException {
        String page = Files.readString(Path.of("README.md"));
        Json document = new PortReader(Tideover.mock().url()).read("/_sim/operator.json");
        for (Json act : document.items("components.schemas.ActName.enum")) {
            assertTrue(page.contains("`" + act.value() + "`"), act.toString());
        }
    }

    /** Whoever has copied the file has no other pages: they come with the program. */
    @Test
    void noLinkOfTheReadmeLeavesTheFolder() throws Exception {
        String page = Files.readString(Path.of("README.md"));
        assertFalse(page.contains("](.."));
        List<String> pages = Pattern.compile("`([a-z-]+\\.md)`")
                .matcher(page)
                .results()
                .map(each -> each.group(1))
                .toList();
        assertTrue(pages.size() > 3);
        for (String name : pages) {
            URI address = URI.create(Tideover.mock().url() + "/_sim/guide/" + name);
            HttpRequest request = HttpRequest.newBuilder(address).build();
            assertEquals(200, HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode(), name);
        }
    }
}
