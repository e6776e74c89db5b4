#!/usr/bin/perl
# Part of vcluster: the process that keeps the namespaces of one node alive.
#
# usage: vcluster.pl RECORD NAMESPACES SKEW-NS COMMAND...
#
# Makes the namespaces (e.g. net,uts,time), runs COMMAND in them once and then stays until it is killed; as first
# process of a pid namespace it reaps what is orphaned there. RECORD gets the pid and the start time before
# anything else happens. Returns when COMMAND has succeeded, or with its failure.
#
# The system call stands here because the offsets of a time namespace can only be written between unshare and the
# first fork, without an exec, and the command unshare knows whole seconds alone.
use strict;
use warnings;
use POSIX ();

my ($record, $namespaces, $skew, @command) = @ARGV;

my %flag = (
    net => 0x40000000, uts => 0x04000000, ipc => 0x08000000,
    mnt => 0x00020000, pid => 0x20000000, time => 0x00000080,
);
my %unshare_call = (x86_64 => 272, aarch64 => 97, riscv64 => 97, loongarch64 => 97, ppc64le => 282, s390x => 303);

sub make_namespaces {
    my $machine = (POSIX::uname())[4];
    my $call = $unshare_call{$machine} or die "vcluster: the number of unshare is not known on $machine\n";
    my $flags = 0;
    $flags |= $flag{$_} for split /,/, $namespaces;
    syscall($call, $flags) == 0 or die "vcluster: cannot make namespaces: $!\n";
}

sub set_clock {
    my $ns = $skew % 1_000_000_000;
    my $s = ($skew - $ns) / 1_000_000_000;
    open my $file, '>', '/proc/self/timens_offsets' or die "vcluster: cannot set a clock: $!\n";
    syswrite $file, sprintf "monotonic %d %d\nboottime %d %d\n", $s, $ns, $s, $ns
        or die $!{ERANGE} ? "vcluster: with a skew of $skew ns the clock would be negative\n" : "vcluster: cannot set a clock: $!\n";
}

sub start_time {
    open my $file, '<', "/proc/$_[0]/stat" or return 0;
    (my $stat = <$file>) =~ s/.*\) //;
    return (split ' ', $stat)[19];
}

sub write_record {
    my ($pid) = @_;
    open my $file, '>', $record or die "vcluster: cannot write $record: $!\n";
    print $file "$pid ", start_time($pid), "\n";
    close $file or die "vcluster: cannot write $record: $!\n";
}

# Keeps no pipe or terminal of the caller open.
sub detach {
    my %keep = map { $_ => 1 } @_;
    POSIX::setsid();
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    opendir my $dir, '/proc/self/fd' or return;
    my @open = grep { /^\d+$/ && $_ > 2 && !$keep{$_} && $_ != fileno $dir } readdir $dir;
    POSIX::close($_) for @open;
}

make_namespaces();
set_clock() if $namespaces =~ /time/;
pipe my $go_read, my $go or die;
pipe my $ready, my $ready_write or die;
my $pid = fork // die "vcluster: cannot fork: $!\n";
if ($pid == 0) {
    close $go;
    close $ready;
    detach(fileno $go_read, fileno $ready_write);
    <$go_read> or exit 1;
    system(@command) == 0 or exit 1;
    syswrite $ready_write, "ready\n";
    close $ready_write;
    open STDERR, '>', '/dev/null';
    $SIG{CHLD} = 'IGNORE';
    $SIG{HUP} = 'IGNORE';
    sleep 3600 while 1;
}
close $ready_write;
write_record($pid);
syswrite $go, "go\n";
exit(<$ready> ? 0 : 1);
