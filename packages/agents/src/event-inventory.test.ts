// The events of the contract that agents emit: for each, a turn of a model agent whose log has it. The last test prints the inventory.

import type { ContractEventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import * as v from 'valibot'
import { afterAll, describe, expect, test } from 'vitest'
import { agent } from './agent.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from './loop/loop.suite.ts'
import { manyTools } from './loop/selection/many-tools.suite.ts'
import { critic } from './middleware/critic.ts'
import { guardrails } from './middleware/guardrails.ts'
import { plan } from './middleware/plan.ts'
import { retrieval } from './middleware/retrieval.ts'
import { ModelError } from './model/model-error.ts'
import { subagent } from './subagents/subagent.ts'
import { tool } from './tools/tool.ts'

const read = tool({
  name: 'read',
  description: 'Reads.',
  input: v.object({ path: v.string() }),
  effect: 'pure',
  run: ({ path }) => `text of ${path}`,
})

/** Calls once, then answers. */
const reader: Answering = (prompt) =>
  lastResults(prompt)
    ? { thinking: 'Enough.', text: 'I have read it.' }
    : { calls: [['read', { path: lastText(prompt) }]] }

const tested = (answer: Answering, more: object = {}) =>
  agent({ name: 'tested', model: stubModel(answer), tools: [read], ...more })

const turnOf = async (definition: ReturnType<typeof agent>, prompt = 'a.txt'): Promise<LoopWorld> => {
  const it = new LoopWorld(definition)
  await it.ask(prompt)
  return it
}

const step = { text: 'Read it.', status: 'in_progress' }

/** Each makes one turn, and is a title of a test. */
const turns = {
  'a model thinks, calls a tool and answers': () => turnOf(tested(reader)),
  'a model makes a call whose arguments do not fit': () =>
    turnOf(tested((prompt) => (lastResults(prompt) ? { text: 'No.' } : { calls: [['read', { path: 7 }]] }))),
  'a rule asks a person, who approves': async () => {
    const it = await turnOf(tested(reader, { policy: [{ tool: 'read', do: 'ask' }] }))
    await it.approve()
    return it
  },
  'middleware refuses a call': () =>
    turnOf(tested(reader, { use: [{ name: 'guard', before: () => ({ deny: 'Not now.' }) }] })),
  'a conversation fills the window of its model': async () => {
    const answer: Answering = (prompt) =>
      prompt[0]?.role === 'system' && prompt[0].content.startsWith('You write the summary')
        ? { text: 'Goal: go on.', tokens: 100 }
        : { text: 'so it goes '.repeat(200), tokens: Math.min(9_500, 2_000 * prompt.length) }
    const it = new LoopWorld(tested(answer, { limits: { windowTokens: 10_000 } }))
    for (let turn = 0; turn < 8; turn++) await it.ask(`turn ${turn} ${'and so on '.repeat(200)}`)
    return it
  },
  'a model fails and is asked again': async () => {
    let requests = 0
    const it = await turnOf(
      tested((prompt, options) => {
        requests += 1
        if (requests === 1) throw new ModelError('overloaded', 'Come back later.')
        return reader(prompt, options)
      }),
    )
    await it.clock.pass(60_000)
    return it
  },
  'a model calls one of 200 tools': () =>
    turnOf(
      tested((prompt) => (lastResults(prompt) ? { text: 'Dry.' } : { calls: [['weather_forecast', {}]] }), {
        tools: manyTools(),
      }),
      'will it rain in Rome',
    ),
  'retrieval finds a document': () =>
    turnOf(tested(reader, { use: [retrieval({ search: () => [{ id: 'd', text: 'A page.' }] })] })),
  'a critic finds something missing': () =>
    turnOf(
      tested((prompt) => ({ text: prompt[0]?.role === 'system' ? '- The end.' : 'So far.' }), {
        use: [critic({ criteria: 'It has an end.' })],
      }),
    ),
  'guardrails check an answer': () =>
    turnOf(tested(reader, { use: [guardrails({ checks: [{ name: 'short', check: () => null }] })] })),
  'a model changes its plan': () =>
    turnOf(
      tested(
        (prompt) => (lastResults(prompt) ? { text: 'Planned.' } : { calls: [['update_plan', { steps: [step] }]] }),
        { use: [plan()] },
      ),
    ),
  'background work finishes a step': async () => {
    const it = new LoopWorld(tested(reader))
    await it.ask('a.txt', keyOf(), { kind: 'background' })
    return it
  },
  'a subagent does a task': async () => {
    const child = agent({ name: 'child', description: 'Reads.', model: stubModel(() => ({ text: 'Read.' })) })
    const answer: Answering = (prompt) =>
      lastResults(prompt) ? { text: 'Done.' } : { calls: [['ask_child', { task: 'Read it.' }]] }
    const it = new LoopWorld(tested(answer, { use: [subagent({ agents: [child] })] }))
    await it.ask('go')
    await it.quiet()
    return it
  },
} satisfies Record<string, () => Promise<LoopWorld>>

type TurnTitle = keyof typeof turns
type SessionEventType =
  | 'session'
  | 'session_state'
  | 'sandbox_notice'
  | 'turn_start'
  | 'turn_end'
  | 'completed'
  | 'error'
type AgentEventType = Exclude<ContractEventType, SessionEventType>
/** Events that only the session itself emits are not here. */
const inventory: { readonly [T in AgentEventType]: TurnTitle } = {
  turn_start_tools: 'a model thinks, calls a tool and answers',
  token: 'a model thinks, calls a tool and answers',
  thinking: 'a model thinks, calls a tool and answers',
  response: 'a model thinks, calls a tool and answers',
  tool_selected: 'a model calls one of 200 tools',
  tool_validation_error: 'a model makes a call whose arguments do not fit',
  tool_batch: 'a model thinks, calls a tool and answers',
  tool_call: 'a model thinks, calls a tool and answers',
  tool_result: 'a model thinks, calls a tool and answers',
  tool_outcome: 'a model thinks, calls a tool and answers',
  policy_decision: 'a rule asks a person, who approves',
  approval_required: 'a rule asks a person, who approves',
  approval_applied: 'a rule asks a person, who approves',
  hook_event: 'middleware refuses a call',
  context_warning: 'a conversation fills the window of its model',
  context_compacted: 'a conversation fills the window of its model',
  usage: 'a model thinks, calls a tool and answers',
  transport_diagnostic: 'a model fails and is asked again',
  step_progress: 'background work finishes a step',
  session_checkpoint: 'a model changes its plan',
  retrieval: 'retrieval finds a document',
  reflection: 'a critic finds something missing',
  antahkarana: 'guardrails check an answer',
  subagent_event: 'a subagent does a task',
}

/** A session marks the end of each turn by itself. */
const isOfAgent = ({ type, payload }: AnyEvent): boolean =>
  type !== 'session_checkpoint' || payload.checkpoint_type !== 'turn'

const types = Object.keys(inventory) as (keyof typeof inventory)[]
const shown = new Map<string, string>()
afterAll(() => {
  const rows = types.map((type) => `  ${type.padEnd(22)} ${shown.get(type) ?? 'MISSING'}`)
  process.stdout.write(`\nEvents that model agents emit, and the turn that shows each:\n${rows.join('\n')}\n`)
})

describe.each(Object.keys(turns) as TurnTitle[])('%s', (title) => {
  const emitted = types.filter((type) => inventory[type] === title)
  test(`emits ${emitted.join(', ')}`, async () => {
    const it = await turns[title]()
    const events = await it.events(keyOf())
    // A claim about the session in the name of the kernel would be hearsay, and no event of the agent.
    const own = new Set(events.filter((event) => !event.hearsay && isOfAgent(event)).map(({ type }) => type))
    for (const type of emitted) if (own.has(type)) shown.set(type, title)
    expect(emitted.filter((type) => !own.has(type))).toEqual([])
  })
})

test('every event that an agent emits was shown by a turn', () => {
  expect(types.filter((type) => !shown.has(type))).toEqual([])
})
