// W2 in ns-3 (3.37): greedy TCP connections over a dumbbell, packet level.
//
//   src_i -- 0.5 ms -- r1 ====== trunk, 9 ms, drop-tail ====== r2 -- 0.5 ms -- dst_i
//
// A packet of 9180 bytes is 192 cells, 10,176 bytes, on a line. A packet-level simulator does not know this tax, so all
// rates are 9182/10176 of those of the cell-level scenario (PPP adds 2 bytes here), and the buffer is a number of packets.
//
// The window of seven segments is bounded by the send buffer: with a bounded receive window 3.37 crashes at a loss that
// exhausts it (SendPendingData sends a segment of size 0, and TcpRateLinux::SkbSent gets a null item).
// usage: ns3_w2 SECONDS
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <chrono>
#include <cstdio>
#include <ctime>

using namespace ns3;

static const int CONNECTIONS = 25;
static const double TAX = 9182.0 / 10176.0;
static const char* BUFFER = "21p"; // besides the packet in transmission

static uint64_t drops;
static double queueIntegral, queueSince;
static uint32_t queued;

static double CpuNow()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void Dropped(Ptr<const Packet>)
{
    ++drops;
}

// Time-weighted: packets that wait at the trunk.
static void QueueChanged(uint32_t, uint32_t now)
{
    double at = Simulator::Now().GetSeconds();
    queueIntegral += queued * (at - queueSince);
    queueSince = at;
    queued = now;
}

static PointToPointHelper Link(double bps, const char* delay, const char* buffer)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t(bps * TAX))));
    link.SetDeviceAttribute("Mtu", UintegerValue(9180));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(buffer));
    link.DisableFlowControl();
    return link;
}

static void SetDefaults()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::TcpNewReno")));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(9140));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(7 * 9140));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.25)));
}

int main(int argc, char** argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 60;
    SetDefaults();
    NodeContainer routers, sources, destinations;
    routers.Create(2);
    sources.Create(CONNECTIONS);
    destinations.Create(CONNECTIONS);
    PointToPointHelper trunk = Link(150e6, "9ms", BUFFER), access = Link(1e9, "0.5ms", "100000p");
    InternetStackHelper stack;
    stack.InstallAll();
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    NetDeviceContainer ends = trunk.Install(routers);
    addresses.Assign(ends);
    ends.Get(0)->TraceConnectWithoutContext("MacTxDrop", MakeCallback(&Dropped));
    DynamicCast<PointToPointNetDevice>(ends.Get(0))
        ->GetQueue()
        ->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&QueueChanged));

    std::vector<Ptr<PacketSink>> sinks;
    for (int i = 0; i < CONNECTIONS; i++)
    {
        std::string number = std::to_string(i);
        addresses.SetBase(("10.1." + number + ".0").c_str(), "255.255.255.0");
        addresses.Assign(access.Install(sources.Get(i), routers.Get(0)));
        addresses.SetBase(("10.2." + number + ".0").c_str(), "255.255.255.0");
        Ipv4InterfaceContainer to = addresses.Assign(access.Install(destinations.Get(i), routers.Get(1)));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(destinations.Get(i)).Get(0)));
        BulkSendHelper greedy("ns3::TcpSocketFactory", InetSocketAddress(to.GetAddress(0), 5000));
        greedy.SetAttribute("SendSize", UintegerValue(9140));
        greedy.Install(sources.Get(i)).Start(Seconds(i * 0.0073));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(seconds));
    double cpu = CpuNow();
    auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    cpu = CpuNow() - cpu;
    double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    QueueChanged(0, 0);
    uint64_t received = 0;
    for (auto& sink : sinks)
        received += sink->GetTotalRx();
    printf("{\"peer\":\"ns3\",\"simulated_s\":%g,\"goodput_bps\":%.1f,\"waiting_packets\":%.4f,\"drops\":%lu,"
           "\"events\":%lu,\"wall\":%.6f,\"cpu\":%.6f}\n",
           seconds, received * 8 / seconds, queueIntegral / seconds, drops, Simulator::GetEventCount(), wall, cpu);
    Simulator::Destroy();
}
