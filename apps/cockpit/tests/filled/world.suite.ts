// A server with sessions in every status, for pictures of every page and for checks that look at every page.
import { setTimeout } from 'node:timers/promises'
import type { CockpitWorld } from '../browser.suite.ts'

interface FilledSession {
  readonly id: string
  readonly agent: string
  readonly title: string
  readonly prompt: string
  readonly status: string
  readonly maxCostUsd?: number
}

const LONG_TITLE =
  'Find out why the checkout of customers with more than one address, a voucher and an open refund takes forty seconds on Tuesdays'

const sessions: readonly FilledSession[] = [
  {
    id: 'bg-notes-214',
    agent: 'scribe',
    title: 'Release notes for 2.14',
    prompt: 'Write the notes.',
    status: 'completed',
  },
  {
    id: 'bg-oncall-45',
    agent: 'scribe',
    title: 'Summarise on-call week 45',
    prompt: 'Summarise the week.',
    status: 'completed',
  },
  { id: 'bg-slow', agent: 'scribe', title: LONG_TITLE, prompt: 'Why is it slow?', status: 'completed' },
  {
    id: 'bg-codemod',
    agent: 'codemod',
    title: 'Codemod for retry options',
    prompt: 'Apply the rule.',
    status: 'failed',
  },
  { id: 'bg-handbook', agent: 'indexer', title: 'Import handbook', prompt: 'Read the handbook.', status: 'recovering' },
  { id: 'bg-backfill', agent: 'nightly', title: 'Backfill invoice PDFs', prompt: 'Fill the gaps.', status: 'paused' },
  { id: 'bg-clean', agent: 'nightly', title: 'Clean build folders', prompt: 'Clean up.', status: 'cancelled' },
  { id: 'bg-triage', agent: 'nightly', title: 'Nightly triage', prompt: 'Sort the new issues.', status: 'running' },
  {
    id: 'bg-keys',
    agent: 'ops',
    title: 'Rotate staging keys',
    prompt: 'Rotate the keys.',
    status: 'awaiting_approval',
  },
  {
    id: 'bg-node-26',
    agent: 'upgrade',
    title: 'Upgrade to Node 26',
    prompt: 'Upgrade us.',
    status: 'awaiting_approval',
    maxCostUsd: 6,
  },
  {
    id: 'bg-7f3a91c2',
    agent: 'refactor',
    title: 'Migrate retry budget in payments-api',
    prompt: 'Lower the retry budget of payments-api: no call may wait for more than ten seconds. Keep jitter.',
    status: 'awaiting_approval',
    maxCostUsd: 2,
  },
]

const script = (...steps: readonly object[]): string => `@script ${JSON.stringify(steps)}`

/** Sessions that wait for answers: to one question, to several, and to a form. */
const asking: readonly FilledSession[] = [
  {
    id: 'bg-preview-482',
    agent: 'scripted',
    title: 'Preview for PR 482',
    prompt: script(
      { text: 'The preview is built. It needs a place to run.' },
      {
        ask: {
          schema: {
            type: 'object',
            required: ['environment', 'replicas'],
            properties: {
              environment: { type: 'string', title: 'Environment', enum: ['staging-eu', 'staging-us'] },
              replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 8 },
              host: { type: 'string', title: 'Host name' },
              remove: { type: 'boolean', title: 'Delete the preview after 24 h', default: true },
            },
          },
        },
        id: 'deploy',
        expiresMs: 3_600_000,
      },
    ),
    status: 'awaiting_approval',
  },
  {
    id: 'bg-release-214',
    agent: 'scripted',
    title: 'Cut release 2.14',
    prompt: script(
      { text: 'The branch `release/2.14` is cut. Two fixes landed after the freeze and are not merged.' },
      {
        ask: 'The release branch has two unmerged fixes. Which commits go into 2.14?',
        id: 'commits',
        options: [
          { label: 'Only what is merged', description: '31 commits, all checks passed' },
          { label: 'Add the refund fix', description: '32 commits; 1 more review needed' },
          { label: 'Add both fixes', description: '34 commits; the cache fix has no test' },
        ],
        allow_free_text: true,
        default: 'Only what is merged',
        expiresMs: 3_600_000,
      },
    ),
    status: 'awaiting_approval',
  },
  {
    id: 'bg-checks',
    agent: 'scripted',
    title: 'Speed up the checks',
    prompt: script({
      ask: {
        questions: [
          {
            id: 'checks',
            question: 'Which slow checks can this run skip?',
            options: [
              { label: 'Browser tests', description: '14 min on the last run' },
              { label: 'Load test', description: '9 min' },
              { label: 'Licence scan', description: '2 min' },
            ],
            multi_select: true,
          },
          {
            id: 'endpoint',
            question: 'Keep the old endpoint for one more release?',
            options: ['Keep it', 'Remove it'],
          },
          { id: 'changelog', question: 'How should the changelog describe it?', allow_free_text: true },
        ],
      },
      id: 'checks',
    }),
    status: 'awaiting_approval',
  },
]

/** The session with everything: calls, markers, sources, a warning, budgets, and a change that waits. */
export const RICH = sessions.at(-1)!

const POLL_MS = 100
const POLLS_MAX = 300

const reached = async (world: CockpitWorld, id: string, ...wanted: readonly string[]): Promise<void> => {
  let status = ''
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    ;({ status } = await world.client.session(id))
    if (wanted.includes(status)) return
    await setTimeout(POLL_MS)
  }
  throw new Error(`${id} is ${status}, and should be ${wanted.join(' or ')}.`)
}

/** Starts every session, and waits until each has its status. */
export const fill = async (world: CockpitWorld): Promise<void> => {
  const { client } = world
  for (const { id, agent, title, prompt, status, maxCostUsd } of [...sessions, ...asking]) {
    const policy =
      maxCostUsd === undefined ? {} : { policy: { health: { max_cost_usd: maxCostUsd, action: 'pause' as const } } }
    const retries = status === 'recovering' ? { max_retries: 50 } : {}
    await client.startBackground({ agent, session_id: id, title, prompt, ...retries, ...policy })
    if (status === 'paused' || status === 'cancelled') {
      await reached(world, id, 'running')
      await (status === 'paused' ? client.pause(id, { reason: 'Not before Monday' }) : client.cancel(id))
    }
    await reached(world, id, status)
  }
  const { checkpoints } = await client.chat('bg-codemod')
  const from = checkpoints.find(({ checkpoint_type }) => checkpoint_type === 'step')
  await client.branch('bg-codemod', {
    from_event_id: from?.event_id ?? '',
    agent: 'codemod',
    session_id: 'bg-codemod-2',
    title: 'Codemod, without the legacy folder',
  })
  await client.createChat({
    agent: 'scribe',
    session_id: 'chat-tuesday',
    title: 'Why did checkout slow down on Tuesday?',
  })
  await world.ask('scribe', 'chat-tuesday', 'Why did checkout slow down on Tuesday?')
  await decide(world, 'bg-preview', (id) => client.approve('bg-preview', id, { reason: 'Staging only.' }))
  await decide(world, 'bg-old-key', (id) => client.reject('bg-old-key', id, { reason: 'It is still in use.' }))
  await settleQuestions(world)
}

/** A question that was answered, one that was declined, and one that expired with its default. */
const settleQuestions = async ({ client }: CockpitWorld): Promise<void> => {
  const asked = [
    { ask: 'Which database does the migration target?', id: 'db', options: ['SQLite', 'PostgreSQL 17', 'MySQL'] },
    { ask: 'May I email the package maintainers?', id: 'mail', options: ['Yes'] },
    {
      ...{ ask: 'Keep the old endpoint for one more release?', id: 'endpoint', options: ['Keep it', 'Remove it'] },
      ...{ default: 'Keep it', expiresMs: 1 },
    },
  ]
  await client.startBackground({
    ...{ agent: 'scripted', session_id: 'bg-migration', title: 'Migrate the ledger' },
    prompt: script(...asked, { text: 'The migration is planned.' }),
  })
  const next = async (id: string): Promise<string> => {
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      const [open] = (await client.session('bg-migration')).approvals
      if (open?.questions?.[0]?.id === id) return open.id
      await setTimeout(POLL_MS)
    }
    throw new Error(`The question ${id} is not asked.`)
  }
  await client.answer('bg-migration', await next('db'), { answers: { db: 'PostgreSQL 17' } })
  await client.reject('bg-migration', await next('mail'), { reason: 'Open an issue instead.' })
}

/** A session whose question was answered, for the inbox's list of those. */
const decide = async (
  world: CockpitWorld,
  id: string,
  answer: (approvalId: string) => Promise<unknown>,
): Promise<void> => {
  const title = id === 'bg-preview' ? 'Preview of release 2.15' : 'Remove the old key'
  await world.client.startBackground({ agent: 'ops', session_id: id, title, prompt: 'Begin.' })
  await reached(world, id, 'awaiting_approval')
  const [approval] = (await world.client.session(id)).approvals
  await answer(approval?.id ?? '')
  await reached(world, id, 'failed', 'completed')
}
