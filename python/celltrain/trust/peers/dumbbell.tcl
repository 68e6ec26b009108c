# Greedy TCP connections over one line in ns-2 (2.35), packet by packet.
#
#   a ====== RATE, FORWARD, drop-tail queue of QUEUE packets ======> b
#     <===== no queue, BACKWARD ======
#
# Each argument is NAME=VALUE: agent, sink, rate (bit/s of whole packets), forward and backward (s), queue (packets, the one
# in transmission included), packet and segment (octets, with and without headers), window (segments), tick and rto_min (s), starts (s, one a flow, with
# commas), seconds, trace (a file for what happens on the line), and drops (numbers of packets that the line loses, from 0,
# with commas; may be empty).
# It prints a line of JSON for each flow.
foreach argument $argv {
  set at [string first = $argument]
  set option([string range $argument 0 [expr $at-1]]) [string range $argument [expr $at+1] end]
}

remove-all-packet-headers; add-packet-header IP TCP Flags
Trace set show_tcphdr_ 1
Agent/TCP set packetSize_ $option(packet)
Agent/TCP set useHeaders_ false                 ;# a packet has its headers already, the first one too
Agent/TCP set window_ $option(window)
Agent/TCP set windowInit_ 1
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set singledup_ 0                      ;# no limited transmit
Agent/TCP set tcpTick_ $option(tick)
Agent/TCP set minrto_ $option(rto_min)
Agent/TCP set rtxcur_init_ 3.0
Agent/TCP/Newreno set newreno_changes1_ 1       ;# impatient
Agent/TCP/Newreno set partial_window_deflation_ 1
Agent/TCP/Newreno set exit_recovery_fix_ 1

set ns [new Simulator]; $ns use-scheduler Calendar
set a [$ns node]; set b [$ns node]
$ns simplex-link $a $b $option(rate) $option(forward) DropTail
$ns simplex-link $b $a 1e15 $option(backward) DropTail
$ns queue-limit $a $b $option(queue); $ns queue-limit $b $a 1000000
set trace [open $option(trace) w]; $ns trace-queue $a $b $trace
if {$option(drops) ne ""} {
  set losses [new ErrorModel/List]; $losses droplist [split $option(drops) ,]
  $losses drop-target [new Agent/Null]
  $ns link-lossmodel $losses $a $b
}
set flows 0
foreach start [split $option(starts) ,] {
  set tcp($flows) [new Agent/$option(agent)]; set sink [new Agent/$option(sink)]
  $tcp($flows) set fid_ $flows
  $ns attach-agent $a $tcp($flows); $ns attach-agent $b $sink; $ns connect $tcp($flows) $sink
  set ftp [new Application/FTP]; $ftp attach-agent $tcp($flows); $ns at $start "$ftp start"
  incr flows
}

proc finish {} {
  global ns trace flows tcp option
  $ns flush-trace; close $trace
  for {set i 0} {$i < $flows} {incr i} {
    puts [format "{\"delivered_bytes\": %d, \"timeouts\": %d, \"cuts\": %d}" \
      [expr ([$tcp($i) set ack_]+1)*$option(segment)] [$tcp($i) set nrexmit_] [$tcp($i) set ncwndcuts1_]]
  }
  exit 0
}
# What has reached b by the end is known to a when its acknowledgments are back.
$ns at [expr $option(seconds)+$option(backward)] finish
$ns run
