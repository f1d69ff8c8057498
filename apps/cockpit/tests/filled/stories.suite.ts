// Agents whose runs fill the pages: functions without a model, which do the same each time and need no key.
import { type AgentDefinition, type AgentSession, agent } from 'bridle'
import { z } from 'zod'

/** A run of an agent: it tells its work to the session, and stops where the picture wants it. */
type Story = (session: AgentSession, signal: AbortSignal) => Promise<unknown>

const storyteller = (name: string, description: string, story: Story): AgentDefinition =>
  agent({ name, description, run: async ({ session, signal }) => void (await story(session, signal)) })

const untilAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }))

const say = async (session: AgentSession, text: string): Promise<void> => {
  for (const word of text.split(/(?<= )/)) await session.text(word)
}

const plan = ['Find every retry policy', 'Lower the limit in config', 'Change the default in code', 'Update tests']

const planEvent = (session: AgentSession, done: number) =>
  session.emit('step_progress', {
    step_id: 'plan',
    status: 'in_progress',
    title: plan[done] ?? '',
    index: done + 1,
    total: plan.length,
    plan: plan.map((text, index) => ({
      text,
      status: index < done ? 'done' : index === done ? 'in_progress' : 'pending',
    })),
  })

const retrySource = `import { sleep } from '../time.ts'

export interface RetryOptions {
  readonly attempts: number
  readonly baseMs: number
  readonly budgetMs: number
  readonly jitter: boolean
}

export const defaults: RetryOptions = {
  attempts: 5,
  baseMs: 200,
  budgetMs: 30_000,
  jitter: true,
}
`

const read = (session: AgentSession, path: string, text: string) =>
  session.tool('read_file', { path }, () => text, { effect: 'pure' })

/** The long one: a plan, calls of every outcome, markers, sources, a warning, and a change that waits. */
const refactor: Story = async (session, signal) => {
  await planEvent(session, 0)
  await session.thinking(
    'The limit lives in the client and in the config. I look for both before I change either of them.',
  )
  await say(session, 'I will look for every retry policy first, then lower the limit in one place.\n\n')
  await session.tool(
    'grep',
    { pattern: 'attempts:', path: 'src' },
    () => 'src/http/retry.ts:11\nsrc/payments/payout.ts:40',
    {
      effect: 'pure',
    },
  )
  await read(session, 'src/http/retry.ts', retrySource)
  await read(session, 'src/payments/charge.ts', 'export const charge = withRetry(send, defaults)\n')
  await session
    .tool('web_fetch', { url: 'https://status.vendor.example/retries' }, (_args, call) => untilAborted(call.signal), {
      effect: 'pure',
      timeoutMs: 50,
    })
    .catch(() => null)
  await session.emit('retrieval', {
    query: 'retry budget payments',
    citations: [
      {
        title: 'Runbook: retries',
        url: 'https://docs.example/runbook/retries',
        text: 'No call may wait for more than 10 s.',
      },
      {
        title: 'Incident 311',
        url: 'https://docs.example/incidents/311',
        text: 'Five attempts held every worker for 30 s.',
      },
    ],
    context_pack: {
      tokens: 1_840,
      documents: [
        { id: 'runbook/retries', tokens: 1_200, why: 'names the limit' },
        { id: 'incidents/311', tokens: 640, why: 'same symptom' },
      ],
      left_out: [{ id: 'runbook/timeouts', why: 'no room' }],
    },
  })
  await session.usage({ inputTokens: 18_400, outputTokens: 912, costUsd: 0.61 })
  await planEvent(session, 1)
  await session.checkpoint('config/retry.yaml at 3')
  await session.emit('context_compacted', { original_count: 46, compacted_count: 18, tokens_saved: 31_400 })
  await session.emit('context_warning', { message: 'The context is 78 % full.', usage_pct: 78, kind: 'usage' })
  await session.emit('reflection', { text: 'Lower attempts without the time budget would keep a 30 s worst case.' })
  await planEvent(session, 2)
  await session
    .tool('run_tests', { filter: 'retry' }, () => {
      throw new Error('2 failed, 61 passed')
    })
    .catch(() => null)
  await session.usage({ inputTokens: 22_150, outputTokens: 1_304, costUsd: 1.1 })
  await session.artifact(
    'callers.md',
    '# Callers\n\n* `charge.ts` follows the default\n* `payout.ts` sets 5\n',
    'text/markdown',
  )
  await session.memory.propose('retry.budget', '8 s for payments', { reason: 'The runbook says at most 10 s.' })
  await say(
    session,
    [
      'Both failures assert five attempts, so they describe the old budget:\n\n',
      '| caller | attempts | budget |\n| --- | ---: | ---: |\n| `charge.ts` | default | default |\n| `payout.ts` | 5 | 30 s |\n\n',
      '```ts\nexport const charge = withRetry(send, defaults)\n```\n\n',
      'I will change the default and those two tests together.\n\n',
    ].join(''),
  )
  await session.tool(
    'edit_file',
    {
      path: 'src/http/retry.ts',
      old_text: '  attempts: 5,\n  baseMs: 200,\n  budgetMs: 30_000,\n',
      new_text: '  attempts: 3,\n  baseMs: 200,\n  budgetMs: 8_000,\n',
    },
    () => 'ok',
    { approve: { reason: 'A tool that changes files, in a session that asks first.', expiresMs: 3_600_000 } },
  )
  await session.tool('run_tests', { filter: 'payments' }, (_args, call) => untilAborted(call.signal))
  await untilAborted(signal)
}

const ops: Story = async (session) => {
  await say(session, 'The old key is 92 days old. I make a new one before I remove it.\n\n')
  await session.usage({ inputTokens: 4_100, outputTokens: 220, costUsd: 0.18 })
  await session.tool(
    'shell',
    {
      command: 'aws iam create-access-key --user-name staging-deploy \\\n  --output json | tee key.json',
      cwd: 'infra/keys',
    },
    () => 'created',
    { approve: { reason: 'The command makes a credential.', expiresMs: 540_000 } },
  )
  await say(session, 'The new key works. The old one is removed.')
}

const upgrade: Story = async (session) => {
  await say(session, 'Every package builds on Node 26 but one: `node-sass`. I would remove it.\n\n')
  await session.usage({ inputTokens: 310_000, outputTokens: 9_200, costUsd: 5.02 })
  await session.approval({
    subject: 'remove node-sass',
    reason: 'The package has no build for Node 26.',
    args: { package: 'node-sass' },
  })
}

const indexer: Story = async (session) => {
  await session.step('pages', () => 12)
  await say(session, 'Reading the handbook: 12 pages of 340.\n\n')
  await session.usage({ inputTokens: 9_000, outputTokens: 100, costUsd: 0.92 })
  throw Object.assign(new Error('The provider is overloaded (529).'), { transient: true })
}

const nightly: Story = async (session, signal) => {
  await session.emit('step_progress', {
    step_id: 's4',
    status: 'running',
    title: 'Sort by severity',
    index: 4,
    total: 9,
  })
  await say(session, 'Sorted 31 of 84 issues. Two look like duplicates of #4102.\n\n')
  await session.usage({ inputTokens: 12_000, outputTokens: 800, costUsd: 0.4 })
  await session.tool('search_issues', { label: 'needs-triage' }, (_args, call) => untilAborted(call.signal), {
    effect: 'pure',
  })
  await untilAborted(signal)
}

const scribe: Story = async (session) => {
  await session.usage({ inputTokens: 5_000, outputTokens: 600, costUsd: 0.27 })
  await session.artifact('release-notes.md', '# 2.14\n\n* Faster checkout\n', 'text/markdown')
  await session.checkpoint('Notes are drafted')
  await say(session, '## 2.14\n\n* Faster checkout\n* Fewer retries\n\nThe notes are in `release-notes.md`.')
}

const codemod: Story = async (session) => {
  await session.checkpoint('18 of 40 files changed')
  for (const id of ['first', 'second'])
    await session
      .tool(
        'codemod',
        { rule: 'retry-options' },
        () => {
          throw new Error('Unexpected token in src/legacy/retry.js:88')
        },
        { id },
      )
      .catch(() => null)
  await session.usage({ inputTokens: 8_000, outputTokens: 600, costUsd: 0.66 })
  throw new Error('src/legacy/retry.js cannot be parsed. Convert it to a module first.')
}

export const stories: readonly AgentDefinition[] = [
  storyteller('refactor', 'Changes code in small steps, and asks before it writes.', refactor),
  storyteller('ops', 'Rotates keys and cleans up.', ops),
  storyteller('upgrade', 'Raises versions of dependencies.', upgrade),
  storyteller('indexer', 'Reads documents into the search index.', indexer),
  storyteller('nightly', 'Sorts new issues each night.', nightly),
  storyteller('scribe', 'Writes release notes and summaries.', scribe),
  storyteller('codemod', 'Changes many files by one rule.', codemod),
  agent({
    name: 'triage',
    description: 'Sorts an issue by severity.',
    input: z.object({
      title: z.string().min(3).describe('The title of the issue'),
      body: z.string().optional().describe('What was reported'),
      severity: z.enum(['low', 'medium', 'high']).default('low'),
      labels: z.array(z.string()).optional(),
      isPublic: z.boolean().default(false),
    }),
    run: async ({ input, session }) => {
      await session.text(`Sorted “${input.title}” as ${input.severity}.`)
      return { severity: input.severity }
    },
  }),
]
