package tideover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tideover.Tideover.CannotStart;
import tideover.Tideover.Mock;
import tideover.Tideover.World;

/** Starting and ending the mock. */
class MockTest {
    /** What the tests run in a JVM of its own. */
    static final class Program {
        public static void main(String[] arguments) {
            try {
                Mock mock = Tideover.mock();
                if (arguments.length > 0) {
                    mock.world().close();
                }
                System.out.print(mock.url());
            } catch (IllegalArgumentException | UncheckedIOException problem) {
                System.out.print(problem.getMessage());
            } catch (CannotStart problem) {
                String again = assertThrows(CannotStart.class, Tideover::mock).getMessage();
                System.out.print(again.equals(problem.getMessage()) ? again : "another message");
            }
        }
    }

    private static String printed(Map<String, String> variables, String... arguments)
            throws IOException, InterruptedException {
        return printed(Program.class, variables, arguments);
    }

    /** What the program prints in a JVM of its own. */
    static String printed(Class<?> main, Map<String, String> variables, String... arguments)
            throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        ProcessBuilder program = new ProcessBuilder(java, "-cp", classes, main.getName());
        program.command().addAll(List.of(arguments));
        program.environment().remove("TIDEOVER_URL");
        program.environment().putAll(variables);
        Process process = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return text;
    }

    @Test
    void aMockIsThereUntilItIsClosed() {
        Mock mock = Mock.start("--api-key", "my_sk_key", "--start=2030-05-01T00:00:00Z", "--grease");
        assertEquals("my_sk_key", mock.key());
        try (World world = mock.world()) {
            assertEquals("2030-05-01T00:00:00Z", world.now().toString());
        }
        mock.close();
        assertFalse(new PortReader(mock.url()).isUp());
        mock.close();
    }

    @Test
    void theMockOfSomebodyElseGoesOn() {
        String url = Tideover.mock().url();
        try (Mock mock = Mock.at(url + "/");
                World world = mock.world()) {
            assertEquals(List.of(), world.request("GET", "/v1/webhooks").items());
        }
        assertTrue(new PortReader(url).isUp());
    }

    @Test
    void aMockThatCannotStartSaysWhy() {
        CannotStart problem = assertThrows(CannotStart.class, () -> Mock.start("--clock", "bogus"));
        String message = problem.getMessage();
        assertTrue(message.matches("(?s).*serve .*--clock bogus ended with exit code 2:.*running, still.*"), message);
    }

    @Test
    void theMockEndsWithTheJvm() throws Exception {
        String url = printed(Map.of());
        assertTrue(url.startsWith("http://127.0.0.1:"), url);
        assertFalse(new PortReader(url).isUp());
    }

    @Test
    void aMockThatRunsAlreadyIsShared() throws Exception {
        String url = Tideover.mock().url();
        assertEquals(url, printed(Map.of("TIDEOVER_URL", url)));
        assertTrue(new PortReader(url).isUp());
    }

    @Test
    void aMissingProgramSaysWhatToDo() throws Exception {
        String absent = printed(Map.of("TIDEOVER", "absent/tideover"));
        assertTrue(absent.startsWith("The program absent/tideover cannot be started: "), absent);
        assertTrue(absent.endsWith("Put it on the PATH, or let the variable TIDEOVER name it."), absent);
        String onThePath = printed(Map.of("TIDEOVER", "", "PATH", ""));
        assertTrue(onThePath.startsWith("The program tideover cannot be started: "), onThePath);
    }

    @Test
    void aMockThatIsNotThereSaysWhereItShouldBe() throws Exception {
        UncheckedIOException absent =
                assertThrows(UncheckedIOException.class, () -> Mock.at("http://127.0.0.1:1/").world());
        String message = absent.getMessage();
        assertTrue(message.startsWith("The mock at http://127.0.0.1:1 cannot be reached: "), message);
        String named = printed(Map.of("TIDEOVER_URL", "http://127.0.0.1:1/"), "world");
        String wanted = "The mock at http://127.0.0.1:1, which the variable TIDEOVER_URL names, cannot be reached: ";
        assertTrue(named.startsWith(wanted), named);
        String malformed = printed(Map.of("TIDEOVER_URL", "localhost:4010"), "world");
        String instead = " is no address such as http://127.0.0.1:4010";
        assertEquals("\"localhost:4010\", which the variable TIDEOVER_URL names," + instead, malformed);
    }
}
