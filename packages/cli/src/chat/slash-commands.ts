import {
  type AgentDescription,
  type FabricClient,
  FabricError,
  type HarnessClient,
  HarnessError,
} from '@bridle/client/index'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { costText, exactCountText } from '@bridle/words/index'
import { ExitError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { refusalText } from '../errors/refusal-text.ts'
import { saveFile } from '../files/save-file.ts'
import type { TurnChoice } from '../runs/model-option.ts'
import { requestOf } from '../terminal/answer-fields.ts'
import { visibleArguments } from '../terminal/approval-text.ts'
import { cutToColumns } from '../terminal/display-width.ts'
import { escapeControls, truncateLine } from '../terminal/output.ts'
import { requestSummary } from '../terminal/question-text.ts'
import { timeAgo } from '../terminal/table.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'

/** As many as fit in a small window. */
const SESSION_CHOICES_MAX = 12
/** More would scroll the conversation away. */
const FILES_SHOWN_MAX = 30

export interface ChatControl {
  readonly fabric: FabricClient
  readonly client: HarnessClient
  readonly id: string
  readonly agent: string
  readonly columns: number
  readonly ownData: string | null
  readonly say: (...lines: string[]) => void
  readonly ask: (question: string) => Promise<string | null>
  readonly switchTo: (session: { readonly id: string; readonly agent: string }) => void
  readonly startNew: () => Promise<void>
  readonly toggleThinking: () => boolean
  readonly decline: () => boolean
  /** Model and effort of the next prompts. Absent: the session's settings. */
  readonly choice: TurnChoice
  readonly choose: (choice: TurnChoice) => void
  readonly leave: () => void
}

interface SlashCommand {
  readonly help: string
  readonly argument?: string
  readonly run: (chat: ChatControl, argument: string) => Promise<void> | void
}

export const slashCommands: { readonly [name: string]: SlashCommand } = {
  help: { help: 'lists the commands and keys', run: (chat) => chat.say(...helpLines()) },
  new: { help: 'starts a new conversation with this agent', run: (chat) => chat.startNew() },
  sessions: { help: 'lists conversations, and goes on with one of them', run: (chat) => pickSession(chat) },
  branch: {
    help: 'goes on in a copy; this session stays as it is',
    argument: '[event]',
    run: async ({ client, agent, switchTo }, event) => {
      const { sessionId } = await client.branch(event === '' ? {} : { fromEventId: event })
      switchTo({ id: String(sessionId), agent })
    },
  },
  thinking: {
    help: 'shows or folds what the model thinks',
    run: (chat) => chat.say(chat.toggleThinking() ? 'Thinking is shown from now on.' : 'Thinking is folded to a line.'),
  },
  model: {
    help: 'shows the models, or asks another one from the next prompt on',
    argument: '[NAME]',
    run: (chat, name) => chooseModel(chat, name),
  },
  effort: {
    help: 'shows how much the model can think, or changes it for the next prompts',
    argument: '[LEVEL]',
    run: (chat, level) => chooseEffort(chat, level),
  },
  cost: { help: 'tokens and cost of this session', run: (chat) => showCost(chat) },
  health: { help: 'how the session does', run: (chat) => showHealth(chat) },
  approvals: { help: 'approvals that wait, in all sessions', run: (chat) => showApprovals(chat) },
  decline: {
    help: 'gives no answer to the question that is asked',
    run: ({ decline, say }) => {
      if (!decline()) say('No question is asked.')
    },
  },
  files: { help: 'files that the agent has changed', run: (chat) => showFiles(chat) },
  export: { help: 'writes the session into a file', argument: 'FILE', run: (chat, file) => exportTo(chat, file) },
  open: {
    help: 'the address of this session in the cockpit',
    run: (chat) => chat.say(cockpitText(chat)),
  },
  cancel: {
    help: 'stops the answer, and drops the prompts that wait',
    run: async ({ client, say }) => {
      // A cancelled run is reported on its own.
      if ((await client.cancel({ queue: true })).cancelled === false) say('Nothing runs.')
    },
  },
  pause: { help: 'pauses the session after its current step', run: async ({ client }) => void (await client.pause()) },
  resume: { help: 'goes on after a pause', run: async ({ client }) => void (await client.resume()) },
  quit: { help: 'leaves; the session stays', run: (chat) => chat.leave() },
}

export const isSlashCommand = (line: string): boolean => Object.hasOwn(slashCommands, /^\/(\S*)/.exec(line)?.[1] ?? '')

export const runSlashCommand = async (chat: ChatControl, line: string): Promise<void> => {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? []
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined
  if (!command) {
    const near = nearestName(name, Object.keys(slashCommands))
    return chat.say(
      `There is no /${escapeControls(name)}. ${near === null ? '/help lists the commands.' : `Did you mean /${near}?`}`,
    )
  }
  try {
    await command.run(chat, argument.trim())
  } catch (error) {
    const isRefusal = error instanceof FabricError || error instanceof HarnessError || error instanceof ExitError
    if (!isRefusal) throw error
    chat.say(escapeControls(refusalText(error)))
  }
}

export const completeSlash = (text: string): { readonly text: string; readonly choices: readonly string[] } => {
  const [, typed] = /^\/(\S*)$/.exec(text) ?? []
  if (typed === undefined) return { text, choices: [] }
  const names = Object.keys(slashCommands).filter((name) => name.startsWith(typed))
  const [only] = names
  if (only === undefined) return { text, choices: [] }
  if (names.length === 1) return { text: `/${only}${slashCommands[only]?.argument ? ' ' : ''}`, choices: [] }
  let common = typed.length
  while (names.every((name) => name[common] !== undefined && name[common] === only[common])) common += 1
  return { text: `/${only.slice(0, common)}`, choices: names.map((name) => `/${name}`) }
}

/** The token of a server in this process is not known elsewhere. */
const cockpitText = ({ fabric, id, agent, ownData }: ChatControl): string =>
  ownData === null
    ? `${fabric.url.replace(/\/$/, '')}/s/${encodeURIComponent(id)}?${new URLSearchParams({ agent })}`
    : `The server of this chat ends with it and shows no cockpit. Leave, and run ${commandName()} start --data ${ownData}`

const helpLines = (): string[] => {
  const rows = Object.entries(slashCommands).map(([name, { argument, help }]) => [
    `/${name}${argument ? ` ${argument}` : ''}`,
    help,
  ])
  const keys = [
    ['Enter', 'sends; while an answer comes, steers it or waits'],
    ['\\ Enter, Alt+Enter', 'a new line'],
    ['Esc, Ctrl+C', 'stop the answer'],
    ['Ctrl+C twice, Ctrl+D', 'leave; the session stays'],
    ['↑ ↓, Ctrl+R', 'earlier prompts, and a search in them'],
  ]
  const width = Math.max(...[...rows, ...keys].map(([left = '']) => left.length))
  return [...rows, ...keys].map(([left = '', right]) => `${left.padEnd(width)}  ${right}`)
}

const pickSession = async ({ fabric, id, columns, say, ask, switchTo }: ChatControl): Promise<void> => {
  const { sessions } = await fabric.sessions({ kind: 'chat', limit: SESSION_CHOICES_MAX })
  const now = Date.now()
  say(
    ...sessions.map((row, at) => {
      const mark = row.id === id ? '*' : ' '
      const text = `${row.agent} · ${row.status} · ${timeAgo(row.updatedAt, now)} · ${row.title || row.id}`
      return `${mark}${String(at + 1).padStart(2)}  ${cutToColumns(escapeControls(text.replace(/\s+/g, ' ')), columns - 5)}`
    }),
  )
  const answer = await ask('Number (Enter: stay here): ')
  const chosen = /^\d+$/.test(answer?.trim() ?? '') ? sessions[Number(answer) - 1] : undefined
  if (chosen && chosen.id !== id) switchTo(chosen)
  else if (answer?.trim() && !chosen) say('There is no such number; the chat stays here.')
}

/** Restores the session's model or effort. */
const DEFAULT = 'default'

const chooseModel = async (chat: ChatControl, name: string): Promise<void> => {
  const { fabric, id, agent, choice, choose, say } = chat
  const { model_choices: models } = await agentOf(chat)
  if (!models) return say('A prompt cannot choose the model of this agent.')
  if (name === DEFAULT) {
    const { model: _model, ...rest } = choice
    choose(rest)
    return say('The next prompts ask the model of the session.')
  }
  if (name !== '') {
    choose({ ...choice, model: name })
    return say(`The next prompts ask ${escapeControls(name)}.`)
  }
  const { model } = await fabric.session(id, agent)
  const width = Math.max(0, ...models.map((each) => each.id.length))
  say(
    ...models
      .map((each) => `${each.id === choice.model ? '*' : ' '} ${each.id.padEnd(width)}  ${each.title}`)
      .map(escapeControls),
    escapeControls(
      `Answered last: ${model ?? 'nothing yet'}. /model ${DEFAULT} goes back to the model of the session.`,
    ),
  )
}

const chooseEffort = async (chat: ChatControl, level: string): Promise<void> => {
  const { choice, choose, say } = chat
  const { efforts } = await agentOf(chat)
  if (!efforts) return say('A prompt cannot choose how much the model of this agent thinks.')
  if (level === DEFAULT) {
    const { effort: _effort, ...rest } = choice
    choose(rest)
    return say('The next prompts have the effort of the session.')
  }
  const all = efforts.join(', ')
  if (level === '') return say(`Effort: ${choice.effort ?? DEFAULT}. There are: ${escapeControls(all)}.`)
  if (!efforts.includes(level)) return say(escapeControls(`There is no effort "${level}". There are: ${all}.`))
  choose({ ...choice, effort: level })
  say(`The next prompts have the effort ${escapeControls(level)}.`)
}

const agentOf = async ({ fabric, agent }: ChatControl): Promise<Partial<AgentDescription>> =>
  (await fabric.agents()).agents.find(({ name }) => name === agent) ?? {}

const showCost = async ({ fabric, id, agent, say }: ChatControl): Promise<void> => {
  const { usage } = await fabric.session(id, agent)
  const cost = usage.cost_usd === null ? 'the cost is not known' : costText(usage.cost_usd)
  const context = usage.context_usage_pct === null ? '' : ` · context ${Math.round(usage.context_usage_pct)} %`
  say(
    `${exactCountText(usage.input_tokens)} tokens read, ${exactCountText(usage.output_tokens)} written · ${cost}${context}`,
  )
}

const showHealth = async ({ fabric, id, agent, say }: ChatControl): Promise<void> => {
  const { health } = await fabric.session(id, agent)
  const flags = health.flags.length === 0 ? '' : ` · ${health.flags.join(', ')}`
  say(`health ${health.score}${flags}${health.hint === null ? '' : ` · ${escapeControls(health.hint)}`}`)
}

const showApprovals = async ({ fabric, id, columns, say }: ChatControl): Promise<void> => {
  const { approvals } = await fabric.approvals()
  if (approvals.length === 0) return say('No approval waits.')
  say(
    ...approvals.map((row) => {
      const request = requestOf(row)
      const what =
        request === null
          ? `${escapeInvisible(row.toolName)} ${visibleArguments(row.args)}`
          : `question ${escapeInvisible(requestSummary(request))}`
      const where = escapeInvisible(`${row.sessionId === id ? 'here' : row.sessionId} · ${row.id}`)
      return cutToColumns(`${where} · ${what}`, columns - 2)
    }),
    `In other sessions: ${commandName()} approve SESSION ID, or reject.`,
    ...(approvals.some((row) => requestOf(row) !== null)
      ? [`For a question: ${commandName()} answer SESSION ID NAME=VALUE, or reject.`]
      : []),
  )
}

const showFiles = async ({ fabric, id, agent, columns, say }: ChatControl): Promise<void> => {
  const { changes, is_compared: isCompared, reason } = await fabric.workspace(id, agent)
  if (!isCompared) return say(escapeControls(reason ?? 'This session has no workspace.'))
  if (changes.length === 0) return say('The agent has changed no file.')
  const more = changes.length - FILES_SHOWN_MAX
  say(
    ...changes.slice(0, FILES_SHOWN_MAX).map(({ path, status, additions, deletions }) => {
      const lines = additions === null || deletions === null ? '' : `  +${additions} -${deletions}`
      return `${cutToColumns(`${status.padEnd(8)} ${truncateLine(path, Number.POSITIVE_INFINITY)}`, columns - 4 - lines.length)}${lines}`
    }),
    ...(more > 0 ? [`… ${more} more`] : []),
  )
}

const exportTo = async ({ fabric, id, agent, say }: ChatControl, file: string): Promise<void> => {
  if (file === '') return say('Name a file: /export FILE')
  try {
    await saveFile(await fabric.exportSession(id, { agent }), file, 'export')
  } catch (error) {
    if (!(error instanceof ExitError)) throw error
    return say(error.message)
  }
  say(`Written to ${file}.`)
}
