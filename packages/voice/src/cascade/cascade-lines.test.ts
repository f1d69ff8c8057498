// Which agents speak through the cascade: functions always, model agents where there is no realtime provider.

import { agent } from '@bridle/agents/agent'
import { isVoiceFault } from '@bridle/kernel/ports/voice'
import { expect, test } from 'vitest'
import { bytesOf, voice } from '../audio/sounds.suite.ts'
import { eventually, talker, VoiceWorld } from '../voice-world.suite.ts'
import { cascadeEngine } from './cascade-line.ts'
import { SETTINGS } from './cascade-world.suite.ts'
import { SpeechStub } from './services/speech-stub.suite.ts'

const clerk = agent({
  name: 'clerk',
  description: 'Reads back, and asks before it files.',
  run: async ({ session, input }) => {
    await session.text(`You said ${(input as { prompt: string }).prompt}. `)
    const { approved } = await session.approval({ subject: 'file_paper', reason: 'Papers are for ever.' })
    await session.text(approved ? 'Filed.' : 'Not filed.')
  },
})

const hasModel = (name: string) => name === 'talker'
const at = (agentName: string, id: string) => ({ key: { tenant: 'acme', agent: agentName, id } })

test('[V60] a function, and a model agent without a realtime provider, are spoken with through the cascade', async () => {
  const stub = new SpeechStub()
  stub.transcript = () => 'hello'
  const cascade = cascadeEngine(SETTINGS, stub.fetch)
  const world = await VoiceWorld.start({ agents: [talker, clerk], ports: { realtime: null, hasModel, cascade } })
  try {
    const [a, b] = [await world.open('a', at('clerk', 'a')), await world.open('b', at('talker', 'b'))]
    for (const { line } of [a, b]) {
      expect([line.kind, line.model, line.voice]).toEqual(['cascade', 'tts-1', 'alloy'])
      await line.hear(bytesOf(voice(300)))
      line.endTurn()
    }
    await world.rested(b.key, 2)
    expect(await world.talk(b.key)).toEqual(['user: hello', 'assistant: Written, not spoken.'])
    await eventually(() =>
      expect(stub.words).toContain('I need an approval for file paper before I go on. Papers are for ever.'),
    )
    const session = await world.host.open(a.key)
    const [approval] = Object.values(session.state.approvals.open)
    await world.host.send(a.key, { type: 'approve', approvalId: approval?.id ?? '', decision: 'approved' })
    await world.rested(a.key, 2)
    await eventually(() => expect(stub.words).toContain('Filed.'))
    expect(await world.talk(a.key)).toEqual(['user: hello', 'assistant: You said hello. Filed.'])
    for (const { client } of [a, b]) expect(client.faults).toEqual([])
  } finally {
    await world.close()
  }
})

test('[V60] with a realtime provider model agents speak through it, and functions through the cascade or not at all', async () => {
  const stub = new SpeechStub()
  const kinds = async (cascade: ReturnType<typeof cascadeEngine> | null) => {
    const world = await VoiceWorld.start({ agents: [talker, clerk], ports: { hasModel, cascade } })
    try {
      const opened = [await world.dial('a', at('talker', 'a')), await world.dial('b', at('clerk', 'b'))]
      return opened.map(({ line }) => (isVoiceFault(line) ? line.code : line.kind))
    } finally {
      await world.close()
    }
  }
  expect(await kinds(cascadeEngine(SETTINGS, stub.fetch))).toEqual(['realtime', 'cascade'])
  expect(await kinds(null)).toEqual(['realtime', 'voice_unavailable'])
})
