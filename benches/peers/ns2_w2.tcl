# W2 in ns-2 (2.35): greedy TCP connections over a dumbbell, packet level.
#
#   src_i -- 0.5 ms -- r1 ====== trunk, 9 ms, drop-tail ====== r2 -- 0.5 ms -- dst_i
#
# A packet of 9180 bytes is 192 cells, 10,176 bytes, on a line. A packet-level simulator does not know this tax, so all
# rates are 9180/10176 of those of the cell-level scenario (150 Mbit/s and 1 Gbit/s), and the buffer is a number of packets.
# usage: ns ns2_w2.tcl SECONDS MONITORED     MONITORED: 1 to measure the queue of the trunk too (slower), else 0
set seconds [lindex $argv 0]; set monitored [lindex $argv 1]
set connections 25
set tax [expr 9180.0/10176.0]
set buffer 21   ;# packets, besides the one in transmission

remove-all-packet-headers; add-packet-header IP TCP Flags
Agent/TCP set packetSize_ 9140
Agent/TCP set window_ 7
Agent/TCP set windowInit_ 2
Agent/TCP set tcpTick_ 0.01
Agent/TCP set minrto_ 0.25
Agent/TCP set singledup_ 0   ;# no limited transmit

# CPU seconds of this process
proc cpuNow {} { set f [open /proc/[pid]/schedstat]; set x [lindex [gets $f] 0]; close $f; return [expr {$x/1e9}] }

set ns [new Simulator]; $ns use-scheduler Calendar
set r1 [$ns node]; set r2 [$ns node]
$ns duplex-link $r1 $r2 [expr 150e6*$tax] 9ms DropTail
$ns queue-limit $r1 $r2 $buffer; $ns queue-limit $r2 $r1 100000
for {set i 0} {$i < $connections} {incr i} {
  set s($i) [$ns node]; set d($i) [$ns node]
  $ns duplex-link $s($i) $r1 [expr 1e9*$tax] 0.5ms DropTail; $ns duplex-link $r2 $d($i) [expr 1e9*$tax] 0.5ms DropTail
  foreach {x y} [list $s($i) $r1 $r1 $s($i) $r2 $d($i) $d($i) $r2] { $ns queue-limit $x $y 100000 }
  set t($i) [new Agent/TCP/Newreno]; set k($i) [new Agent/TCPSink]
  $t($i) set fid_ $i
  $ns attach-agent $s($i) $t($i); $ns attach-agent $d($i) $k($i); $ns connect $t($i) $k($i)
  set f($i) [new Application/FTP]; $f($i) attach-agent $t($i); $ns at [expr $i*0.0073] "$f($i) start"
}
if {$monitored} {
  set monitor [$ns monitor-queue $r1 $r2 ""]
  set packets [$monitor get-pkts-integrator]
}

proc done {} { global ns t t0 c0 connections seconds monitored monitor packets
  set wall [expr ([clock microseconds]-$t0)/1e6]; set cpu [expr [cpuNow]-$c0]; set acked 0; set sent 0; set again 0
  for {set i 0} {$i < $connections} {incr i} {
    set acked [expr $acked+([$t($i) set ack_]+1)*9140.0]
    set sent [expr $sent+[$t($i) set ndatapack_]]; set again [expr $again+[$t($i) set nrexmitpack_]]
  }
  set queue ""
  if {$monitored} {
    $packets newpoint $seconds [$monitor set pkts_]
    set queue [format ",\"waiting_packets\":%.4f,\"drops\":%d" [expr [$packets set sum_]/$seconds] [$monitor set pdrops_]]
  }
  puts [format "{\"peer\":\"ns2\",\"simulated_s\":%g,\"goodput_bps\":%.1f,\"sent_packets\":%d,\"retransmitted\":%d%s,\"wall\":%.6f,\"cpu\":%.6f}" $seconds [expr $acked*8/$seconds] $sent $again $queue $wall $cpu]
  exit 0 }
$ns at 0.0 {set t0 [clock microseconds]; set c0 [cpuNow]}
$ns at $seconds done
$ns run
