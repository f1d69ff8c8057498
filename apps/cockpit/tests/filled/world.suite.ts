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
  for (const { id, agent, title, prompt, status, maxCostUsd } of sessions) {
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
