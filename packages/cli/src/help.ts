import type { CliCommand } from './command/command.ts'
import { commandName } from './command/command-name.ts'
import { behindLabel, wrapRemark, wrapText } from './terminal/text-lines.ts'
import { type VerbRow, type VerbTable, verbGroups, verbs } from './verbs.ts'

/** The default width of terminals. */
const HELP_COLUMNS = 80

/** `command` is how the CLI was called, so that help lines can be copied. */
export const helpOverview = (command: string = commandName()): string => {
  const width = Math.max(...rowsOf(verbs).map(([left]) => left.length))
  const groups = Object.entries(verbGroups).map(([heading, own]) => `${heading}\n${columns(rowsOf(own), width)}`)
  return `bridle: one durable session between any agent and any frontend

${groups.join('\n\n')}

${paragraph(`bridle <verb> --help says more, with an example.${command === 'bridle' ? ' fh is the same program.' : ''}`, command)}
A <session> is its id, or the first characters of it.

${paragraph(
  `The server is at --url, else BRIDLE_URL, else the one that works on the data folder, else http://127.0.0.1:4317. Its token is in FABRIC_HARNESS_API_TOKEN, else FH_AUTH_TOKEN, else where bridle start --token keeps it. On a terminal the output is for people; when piped, or with --json, it is JSON lines.`,
  command,
)}`
}

const rowsOf = (table: VerbTable) =>
  Object.entries(table).map(
    ([name, { argumentNames, summary }]) => [[name, ...argumentNames].join(' '), summary] as const,
  )

export const commandHelp = (
  name: string,
  { argumentNames, restName, summary, example }: VerbRow,
  { options, notes }: Pick<CliCommand, 'options' | 'notes'>,
  command: string = commandName(),
): string => {
  const rows = Object.entries(options).map(([flag, { short, value, help, multiple }]): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`,
    help,
  ])
  const rest = restName === undefined ? [] : [restName]
  const usage = [name, ...argumentNames, ...rest, ...(rows.length > 0 ? ['[options]'] : [])].join(' ')
  return [
    ...behindLabel('', wrapText(`${command} ${usage}: ${summary}`, HELP_COLUMNS)),
    ...(rows.length > 0 ? [columns(rows)] : []),
    ...(notes === undefined ? [] : [paragraph(notes, command)]),
    `Example:\n  ${command} ${example}`,
  ].join('\n\n')
}

/** Writes `bridle <verb>` as typed here. Empty lines end paragraphs, indented lines stay as they are, others are wrapped. */
const paragraph = (text: string, command: string): string =>
  wrapRemark(text.replaceAll(TYPED, `${command} `).replaceAll(SOURCE_BREAK, ' '), HELP_COLUMNS).join('\n')

const SOURCE_BREAK = /(?<=^\S.*)\n(?=\S)/gm

const TYPED = new RegExp(`\\bbridle (?=<verb>|(?:${Object.keys(verbs).join('|')})\\b)`, 'g')

const columns = (
  rows: readonly (readonly [string, string])[],
  width = Math.max(...rows.map(([left]) => left.length)),
): string =>
  rows
    .flatMap(([left, right]) => behindLabel(`  ${left.padEnd(width)}  `, wrapText(right, HELP_COLUMNS - width - 4)))
    .join('\n')
