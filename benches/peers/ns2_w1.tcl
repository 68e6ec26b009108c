# W1 in ns-2 (2.35): ten CBR sources of 53-byte UDP packets at n0, then three links of 149.76 Mbit/s and 100 us with drop-tail
# queues of 4096 packets, and a sink at n3. Headers that are not needed are left out; the scheduler is the calendar.
# usage: ns ns2_w1.tcl SECONDS MONITORED     MONITORED: 1 to measure the queues too (slower), else 0
set seconds [lindex $argv 0]; set monitored [lindex $argv 1]
set line 149.76e6; set sources 10; set hops 3
set period [expr $sources/0.95*424.0/$line]
set phases {0.915 0.031 0.588 0.274 0.342 0.770 0.129 0.664 0.497 0.203}
remove-all-packet-headers; add-packet-header IP Flags RTP

# CPU seconds of this process
proc cpuNow {} { set f [open /proc/[pid]/schedstat]; set x [lindex [gets $f] 0]; close $f; return [expr {$x/1e9}] }

set ns [new Simulator]; $ns use-scheduler Calendar
for {set i 0} {$i <= $hops} {incr i} { set n($i) [$ns node] }
for {set i 0} {$i < $hops} {incr i} {
  $ns duplex-link $n($i) $n([expr $i+1]) $line 100us DropTail
  $ns queue-limit $n($i) $n([expr $i+1]) 4096
  if {$monitored} {
    set monitor($i) [$ns monitor-queue $n($i) $n([expr $i+1]) ""]
    set packets($i) [$monitor($i) get-pkts-integrator]
  }
}
for {set i 0} {$i < $sources} {incr i} {
  set udp [new Agent/UDP]; $udp set packetSize_ 53; $ns attach-agent $n(0) $udp
  set sink($i) [new Agent/LossMonitor]; $ns attach-agent $n($hops) $sink($i); $ns connect $udp $sink($i)
  set cbr [new Application/Traffic/CBR]; $cbr set packetSize_ 53; $cbr set interval_ $period; $cbr set random_ 0
  $cbr attach-agent $udp
  $ns at [expr [lindex $phases $i]*$period] "$cbr start"
}

proc done {} {
  global ns sink sources hops t0 c0 seconds monitored monitor packets
  set wall [expr ([clock microseconds]-$t0)/1e6]; set cpu [expr [cpuNow]-$c0]
  set received 0; set lost 0
  for {set i 0} {$i < $sources} {incr i} {
    set received [expr $received+[$sink($i) set npkts_]]; set lost [expr $lost+[$sink($i) set nlost_]]
  }
  # Packets wait for as long as the mean queues say (Little's law); transmission and propagation are the rest.
  set delay ""
  if {$monitored} {
    set waiting 0.0
    for {set i 0} {$i < $hops} {incr i} {
      $packets($i) newpoint $seconds [$monitor($i) set pkts_]
      set waiting [expr $waiting+[$packets($i) set sum_]]
    }
    set delay [format ",\"mean_delay_us\":%.4f" [expr 1e6*($waiting/$received + $hops*(424/149.76e6 + 100e-6))]]
  }
  puts [format "{\"peer\":\"ns2\",\"simulated_s\":%g,\"received\":%d,\"lost\":%d,\"cell_hops\":%d%s,\"wall\":%.6f,\"cpu\":%.6f}" $seconds $received $lost [expr $hops*$received] $delay $wall $cpu]
  exit 0
}
$ns at 0.0 {set t0 [clock microseconds]; set c0 [cpuNow]}
$ns at $seconds done
$ns run
