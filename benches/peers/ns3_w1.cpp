// W1 in ns-3 (3.37): point-to-point devices and channels with drop-tail queues, no IP and no routing: sources call Send()
// of the first device, relays hand what they receive to the next. A payload of 51 bytes and 2 of PPP are a cell's 53.
// usage: ns3_w1 SECONDS
#include "w1.hpp"

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <deque>

using namespace ns3;

static const uint32_t PAYLOAD = 51;
static const uint16_t PROTOCOL = 0x0800;

static Counts counts;
static std::deque<ps_t> born; // of cells on their way: nothing is lost or overtaken, so the first out was the first in

struct Source
{
    Ptr<NetDevice> device;
    Address to;
    Time period;

    void Emit()
    {
        counts.generated++;
        if (device->Send(Create<Packet>(PAYLOAD), to, PROTOCOL))
            born.push_back(Simulator::Now().GetPicoSeconds());
        else
            counts.lost++;
        Simulator::Schedule(period, &Source::Emit, this);
    }
};

struct Relay
{
    Ptr<NetDevice> out;
    Address to;

    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
    {
        counts.hops++;
        if (out) {
            if (!out->Send(packet->Copy(), to, protocol))
                counts.lost++;
        } else {
            counts.received++;
            counts.delay += (double)(Simulator::Now().GetPicoSeconds() - born.front());
            born.pop_front();
        }
        return true;
    }
};

static Ptr<PointToPointNetDevice> Device(Ptr<Node> node, Ptr<PointToPointChannel> channel)
{
    auto device = CreateObject<PointToPointNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    device->SetDataRate(DataRate((uint64_t)LINE_BPS));
    auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(QueueSize(std::to_string(BUFFER) + "p"));
    device->SetQueue(queue);
    node->AddDevice(device);
    device->Attach(channel);
    return device;
}

int main(int argc, char** argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    Time::SetResolution(Time::PS);
    NodeContainer nodes;
    nodes.Create(HOPS + 1);
    Ptr<PointToPointNetDevice> from[HOPS], to[HOPS];
    for (int hop = 0; hop < HOPS; hop++) {
        auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(PicoSeconds(PROPAGATION)));
        from[hop] = Device(nodes.Get(hop), channel);
        to[hop] = Device(nodes.Get(hop + 1), channel);
    }
    Relay relays[HOPS];
    for (int hop = 0; hop < HOPS; hop++) {
        if (hop + 1 < HOPS) {
            relays[hop].out = from[hop + 1];
            relays[hop].to = to[hop + 1]->GetAddress();
        }
        to[hop]->SetReceiveCallback(MakeCallback(&Relay::Receive, &relays[hop]));
    }
    Source sources[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        sources[i] = {from[0], to[0]->GetAddress(), PicoSeconds(llround(PERIOD))};
        Simulator::Schedule(PicoSeconds((int64_t)(PHASES[i] * PERIOD)), &Source::Emit, &sources[i]);
    }
    Simulator::Stop(Seconds(seconds));
    Clock clock;
    Simulator::Run();
    clock.print("ns3", seconds, counts);
    Simulator::Destroy();
}
