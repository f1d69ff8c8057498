import { describe, expect, test } from 'vitest'
import type { KeepAudioCommand, SessionOptions } from '../commands.ts'
import { finished, started, TestSession, token } from './rules.suite.ts'

const asking: SessionOptions = { settings: { voice: { keep_audio: true } } }

const audio = (runId: string, role: 'user' | 'assistant', more: Partial<KeepAudioCommand> = {}): KeepAudioCommand => ({
  ...{ type: 'keep_audio', runId, role, chunks: ['UklG', 'Rg=='], size: 4, audioMs: 12.4 },
  ...more,
})

const spoken = (opening: SessionOptions): TestSession => {
  const life = new TestSession()
  life.do({ type: 'submit', prompt: 'said', spoken: true, opening })
  life.report(started())
  life.report(token('Heard.'))
  return life
}

describe('[V92] audio of a session that asks for it', () => {
  test('is an artifact of its run and message, and no part of the answer', () => {
    const life = spoken(asking)
    const { runId } = life.run
    expect(life.do(audio(runId, 'user'))).toMatchObject({ artifactId: expect.stringMatching(/^art-/) })
    expect(life.lastTypes.slice(0, 3)).toEqual(['artifact_chunk', 'artifact_chunk', 'artifact_published'])
    life.report(finished())
    life.do(audio(runId, 'assistant', { isCut: true }))
    const [prompt, answer] = life.messages
    expect(life.state.artifacts.latest.filter(({ kind }) => kind === 'spoken_audio')).toMatchObject([
      {
        name: `turn-${prompt?.id}.wav`,
        contentType: 'audio/wav',
        size: 4,
        encoding: 'base64',
        speech: { role: 'user', runId, messageId: prompt?.id, audioMs: 12 },
      },
      { name: `answer-${answer?.id}.wav`, speech: { role: 'assistant', runId, messageId: answer?.id, isCut: true } },
    ])
    expect(answer?.parts?.map(({ type }) => type)).toEqual(['text'])
  })

  test('is no evidence that the agent gets further', () => {
    const life = spoken(asking)
    const { evidence } = life.state.health
    life.do(audio(life.run.runId, 'user'))
    expect(life.state.health.evidence).toBe(evidence)
  })

  test('of a message that is not there is not kept', () => {
    const life = spoken(asking)
    const { length } = life.log
    expect(life.do(audio('r-99', 'user'))).toMatchObject({ artifactId: null })
    expect(life.log).toHaveLength(length)
  })

  test('of a branch is kept as well', () => {
    const life = spoken(asking)
    life.report(finished())
    const branch = new TestSession(life.state)
    branch.branchPoint = { agent: 'scripted', id: 's1', seq: life.state.head }
    branch.do({ type: 'branch', parent: branch.branchPoint })
    branch.do({ type: 'submit', prompt: 'more', spoken: true })
    expect(branch.do(audio(branch.run.runId, 'user'))).toMatchObject({ artifactId: expect.any(String) })
  })
})

test.each<SessionOptions>([
  {},
  { settings: { voice: {} } },
  { settings: { voice: true } },
  { settings: { voice: { keep_audio: 'yes' } } },
])('[V92] a session that does not ask keeps none: %j', (opening) => {
  const life = spoken(opening)
  const { length } = life.log
  expect(life.do(audio(life.run.runId, 'user'))).toMatchObject({ artifactId: null })
  expect(life.log).toHaveLength(length)
})
