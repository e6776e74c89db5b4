// The talk with a traced process: who may talk and how, and what clients and programs cannot spoil.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <deque>
#include <fstream>
#include <iterator>

#include "tests/region/service_test.hpp"

namespace ovni::test {

namespace fs = std::filesystem;
using ::testing::StartsWith;

std::string ServiceTest::printed_errors() const {
    std::ifstream file(home() / "stderr");
    return {std::istreambuf_iterator<char>(file), {}};
}

void ServiceTest::redirect_errors() const {
    int fd = ::open((home() / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    ::dup2(fd, STDERR_FILENO);
    ::close(fd);
}

namespace {

bool exists(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

TEST_F(ServiceTest, ACommandIsAnswered) {
    auto host = start_host();
    ASSERT_TRUE(serves()) << printed_errors();
    Client client(path());
    EXPECT_EQ(client.ask("fire 2"), "ok fire 2" + of(*host));
    EXPECT_EQ(client.ask("  status\n"), "ok status" + of(*host));
    EXPECT_EQ(client.ask("flush"), "err flush");
    EXPECT_TRUE(ends_well(*host));
    EXPECT_EQ(client.hear(), "closed");
}

TEST_F(ServiceTest, TheSocketIsOfItsOwnerAlone) {
    auto host = start_host();
    struct stat status {};
    ASSERT_EQ(::lstat(path().c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    ASSERT_EQ(::lstat(own_directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ServiceTest, TheNameOfTheSocketTellsJobRankAndProcess) {
    auto host = start_host({{"SLURM_JOB_ID", "12.a/b"}, {"SLURM_PROCID", "3"}});
    EXPECT_EQ(path(), own_directory() / ("ctl.12_a_b.3." + std::to_string(host->pid()) + ".sock"));
    EXPECT_EQ(printed_errors(), "");
    auto alone = start_host();
    EXPECT_EQ(path(), own_directory() / ("ctl.local.0." + std::to_string(alone->pid()) + ".sock"));
    EXPECT_TRUE(ends_well(*alone));
    EXPECT_EQ(printed_errors(), "ovni: control socket: " + path() + "\n");
}

TEST_F(ServiceTest, NamesAreReadAsTheyAreWritten) {
    auto name = region::parse_socket_name("ctl.a-1.12.345.sock");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->job, "a-1");
    EXPECT_EQ(name->rank, "12");
    EXPECT_EQ(name->pid, "345");
    EXPECT_EQ(name->text(), "ctl.a-1.12.345.sock");
    for (const char* other : {"ctl.sock", "ctl..sock", "ctl.a.sock", "ctl.a.1.sock", "ctl.a.1.x.sock",
                              "ctl.a.1.2.soc~", "run.0.12", ""})
        EXPECT_FALSE(region::parse_socket_name(other)) << other;
}

// 107 bytes are what the system takes.
TEST_F(ServiceTest, ALongDirectoryIsLeftForTheShortestOne) {
    fs::path far = home() / std::string(80, 'd');
    fs::create_directory(far);
    auto host = start_host({{"OVNI_RUNDIR", far}, {"TMPDIR", home()}});
    ASSERT_TRUE(serves()) << printed_errors();
    EXPECT_LE(path().size(), 107u);
    EXPECT_THAT(path(), StartsWith("/dev/shm/ovni-"));
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
    EXPECT_TRUE(ends_well(*host));
    EXPECT_FALSE(exists(path()));
}

TEST_F(ServiceTest, ADirectoryThatOthersCanWriteToIsNotTaken) {
    fs::create_directory(own_directory());
    fs::permissions(own_directory(), fs::perms::all);
    auto host = start_host();
    EXPECT_TRUE(serves()) << printed_errors();
    EXPECT_THAT(path(), ::testing::Not(StartsWith(home().string())));
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
    EXPECT_TRUE(ends_well(*host));
}

TEST_F(ServiceTest, GarbageIsRefusedAndTheConnectionGoesOn) {
    auto host = start_host();
    Client client(path());
    EXPECT_THAT(client.ask(std::string("\0\xff\x01 fire", 8)), StartsWith("err "));
    EXPECT_THAT(client.ask("stop\nstart"), StartsWith("err "));
    EXPECT_THAT(client.ask(" \n "), StartsWith("err "));
    EXPECT_EQ(client.ask(std::string(1025, 'x')), "err the request is too long");
    EXPECT_EQ(client.ask(std::string(100'000, 'x')), "err the request is too long");
    EXPECT_THAT(client.ask("mute"), StartsWith("err "));
    EXPECT_EQ(client.ask("status"), "ok status" + of(*host));
    EXPECT_EQ(client.ask(""), "closed");
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
}

TEST_F(ServiceTest, ALongReplyIsCut) {
    auto host = start_host();
    std::string reply = Client(path()).ask("big");
    EXPECT_EQ(reply.size(), region::longest_reply);
    EXPECT_TRUE(reply.ends_with("x...")) << reply.substr(reply.size() - 10);
}

TEST_F(ServiceTest, OtherUsersAreRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    auto host = start_host();
    for (const fs::path& open : {home(), own_directory(), fs::path(path())})
        fs::permissions(open, fs::perms::all);
    std::fflush(nullptr);
    pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t nobody = 65534;
        if (::setuid(nobody) != 0) ::_exit(3);
        Client client(path());
        if (client.error() != 0) ::_exit(2);
        client.say("stop");
        ::_exit(client.hear() == "err this process is not yours" && client.hear() == "closed" ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
}

TEST_F(ServiceTest, ManyClientsAreAllAnswered) {
    auto host = start_host();
    for (int round = 0; round < 3; ++round) {
        std::deque<Client> clients;
        for (int i = 0; i < 100; ++i) clients.emplace_back(path());
        for (const Client& client : clients) ASSERT_TRUE(client.say("status"));
        int answered = 0;
        for (Client& client : clients) answered += client.hear() == "ok status" + of(*host);
        EXPECT_EQ(answered, 100);
    }
}

TEST_F(ServiceTest, SilentClientsMakeRoom) {
    auto host = start_host();
    std::deque<Client> silent;
    for (int i = 0; i < 40; ++i) silent.emplace_back(path());
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
    EXPECT_EQ(silent.front().hear(), "closed");
}

TEST_F(ServiceTest, ClientsThatGoOrDoNotListenHarmNobody) {
    auto host = start_host();
    for (int i = 0; i < 50; ++i) Client(path()).say("big");
    Client deaf(path());
    while (deaf.say("big")) continue;
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
}

TEST_F(ServiceTest, AProgramMayCloseAllDescriptors) {
    auto host = start_host();
    for (int round = 0; round < 3; ++round) {
        tell(*host, "close");
        EXPECT_EQ(ask_again(), "ok status" + of(*host));
    }
    EXPECT_TRUE(ends_well(*host));
    EXPECT_FALSE(exists(path()));
}

TEST_F(ServiceTest, FilesOfTheProgramAreLeftAlone) {
    auto host = start_host();
    fs::path file = home() / "file";
    std::ofstream(file) << "content";
    tell(*host, "take " + file.string());
    EXPECT_EQ(ask_again(), "ok status" + of(*host));
    EXPECT_TRUE(ends_well(*host));
    EXPECT_EQ(fs::file_size(file), 7u);
}

TEST_F(ServiceTest, AForkedChildHasASocketOfItsOwn) {
#if defined __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer lets no thread begin in a forked child where its parent had several";
#endif
    auto host = start_host();
    int child = std::stoi(tell(*host, "fork"));
    std::string of_child = own_directory() / ("ctl.local.0." + std::to_string(child) + ".sock");
    for (int i = 0; i < 2000 && !exists(of_child); ++i) ::usleep(10'000);
    EXPECT_EQ(Client(of_child).ask("status"), "ok status of " + std::to_string(child));
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
    host->send(SIGKILL);
    host->wait();
    EXPECT_EQ(Client(path()).error(), ECONNREFUSED);
    EXPECT_EQ(Client(of_child).ask("status"), "ok status of " + std::to_string(child));
    ::kill(child, SIGKILL);
}

TEST_F(ServiceTest, AnotherProgramOfThatProcessTakesThePlace) {
    auto host = start_host();
    host->write("exec\n");
    EXPECT_EQ(host->line(), "serves " + path());
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
    EXPECT_TRUE(ends_well(*host));
    EXPECT_FALSE(exists(path()));
}

TEST_F(ServiceTest, TheServiceStopsAndStartsAgain) {
    auto host = start_host();
    tell(*host, "stop");
    EXPECT_FALSE(exists(path()));
    EXPECT_EQ(Client(path()).error(), ENOENT);
    tell(*host, "start");
    EXPECT_EQ(Client(path()).ask("status"), "ok status" + of(*host));
}

TEST_F(ServiceTest, TheEndDoesNotWaitForACommandForEver) {
    auto host = start_host();
    Client client(path());
    client.say("hang");
    EXPECT_EQ(client.hear(100), "silence");
    EXPECT_TRUE(ends_well(*host));
    EXPECT_FALSE(exists(path()));
}

}  // namespace
}  // namespace ovni::test
