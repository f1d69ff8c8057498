// A shell answers what the sub-agents of its agent ask.
import { createHash } from 'node:crypto'
import { agent } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { subagent } from '@bridle/agents/subagents/subagent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { askQuestion } from '@bridle/agents/tools/ask-question'
import { tool } from '@bridle/agents/tools/tool'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import { expect, test } from 'vitest'
import { type EngineReply, messageOf, testEngine } from './engine.suite.ts'

const sent: string[] = []
const clerk = agent({
  name: 'clerk',
  tools: [
    askQuestion(),
    tool({
      ...{ name: 'send', description: 'Sends a letter.', approve: true },
      run: (input) => {
        sent.push((input as { to: string }).to)
        return 'sent'
      },
    }),
  ],
  model: scriptedModel(({ prompt, step }) => {
    if (step > 1) return { text: `Sent to ${prompt}.` }
    if (!prompt.startsWith('unsure')) return { calls: [{ tool: 'send', input: { to: prompt } }] }
    const questions = [{ question: 'Which address?', allow_free_text: true }]
    return { calls: [{ tool: 'ask_question', input: { questions } }] }
  }),
})
const editor = agent({
  name: 'editor',
  use: [subagent({ agents: [clerk] })],
  model: scriptedModel(({ prompt, step }) =>
    step === 1
      ? {
          text: 'I ask two clerks.',
          calls: ['Ada', 'Ben'].map((who) => ({ tool: 'ask_clerk', input: { task: `${prompt} ${who}` } })),
        }
      : { text: 'Both are done.' },
  ),
})

const world = () => {
  const clock = {
    // The same time as in the test app.
    now: () => 1_700_000_000_000,
    after: (ms: number, call: () => void) => {
      const timer = setTimeout(call, ms)
      return () => clearTimeout(timer)
    },
  }
  const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
  const ports = { clock, digest, children: hostChildSessions(() => it.host) }
  const it: ReturnType<typeof testEngine> = testEngine(
    { defaultAgent: 'editor' },
    { editor: nativeRunner(editor, ports), 'editor.clerk': nativeRunner(clerk, ports) },
  )
  return it
}

interface Payload {
  readonly text?: string
  readonly message?: string
  readonly fallback_message?: string
  readonly tool?: string
  readonly arguments?: { readonly to: string }
  readonly options?: readonly { readonly id: string; readonly continuation_token: string }[]
}
const directives = ({ body }: EngineReply) =>
  (body.response.action_directives ?? []).map(({ action_type, payload }) => ({
    action_type,
    payload: payload as Payload,
  }))
const questions = (reply: EngineReply) =>
  directives(reply).flatMap(({ action_type, payload }) => (action_type === 'request_approval' ? [payload] : []))
const texts = (reply: EngineReply) =>
  directives(reply).flatMap(({ action_type, payload }) => (action_type === 'request_approval' ? [] : [payload.text]))

test('[S77] three turns whose sub-agents ask: each question, its answer, and the text goes on once', async () => {
  const { send } = world()
  for (const id of ['s1', 's2', 's3']) {
    sent.length = 0
    const message = messageOf({ session_id: id, user_intent: id }, { request_id: `${id}-ask` })
    let reply = await send(message)
    // The second clerk may ask after the reply was sent.
    expect(texts(reply)).toEqual(['I ask two clerks.'])
    const said: (string | undefined)[] = []
    const asked: (string | undefined)[] = []
    for (let turn = 0; turn < 3 && questions(reply).length > 0; turn++) {
      const [question] = questions(reply)
      asked.push(question?.arguments?.to)
      expect(question?.tool).toBe('send')
      const token = question?.options?.find((option) => option.id === 'approve')?.continuation_token
      reply = await send(messageOf({ continuation: { continuation_token: token } }, { request_id: `${id}-${turn}` }))
      said.push(...texts(reply))
    }
    expect(asked.toSorted()).toEqual([`${id} Ada`, `${id} Ben`])
    expect(sent.toSorted()).toEqual([`${id} Ada`, `${id} Ben`])
    expect(said).toEqual(['Both are done.'])
  }
})

test('[OH152] the next message is never advised as the answer to the text question of a sub-agent', async () => {
  const { send } = world()
  const reply = await send(messageOf({ session_id: 's1', user_intent: 'unsure' }, { capabilities: {} }))
  const [question] = questions(reply)
  expect(question?.fallback_message).toBe(
    'Which address? This shell cannot answer. The question waits in the inbox: answer it there, or on another screen.',
  )
})
