#!/usr/bin/perl
# Verifies the DKIM and ARC signatures of the messages in these files: `verify.pl PORT-OF-DNS FILE...`
use strict;
use warnings;
use Net::DNS::Resolver;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;
use Mail::DKIM::ARC::Verifier;

my ($port, @files) = @ARGV;
Mail::DKIM::DNS::resolver(Net::DNS::Resolver->new(nameservers => ['127.0.0.1'], port => $port));

foreach my $file (@files) {
  open my $handle, '<:raw', $file or die "cannot open $file";
  my $message = do { local $/; <$handle> };
  my @results = map { my $verifier = $_; $verifier->PRINT($message); $verifier->CLOSE; $verifier->result }
    (Mail::DKIM::Verifier->new(), Mail::DKIM::ARC::Verifier->new());
  print join(' ', @results), "\n";
}
