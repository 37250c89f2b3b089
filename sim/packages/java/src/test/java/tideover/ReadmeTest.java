package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

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
}
