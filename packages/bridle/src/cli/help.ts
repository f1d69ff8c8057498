// The text of `--help`, made from the table of commands.
import type { CliCommand } from './command.ts'

export const helpOverview = (verbs: { readonly [name: string]: CliCommand }): string => {
  const rows = Object.entries(verbs).map(
    ([name, { argumentNames, summary }]) => [[name, ...argumentNames].join(' '), summary] as const,
  )
  return `bridle: one durable session between any agent and any frontend

${columns(rows.map(([left, right]) => [`bridle ${left}`, right]))}

  bridle <verb> --help says more; bridle --version prints the version. fh is the same program.

The server is at --url, else BRIDLE_URL, else http://127.0.0.1:4317.
Its token is in FABRIC_HARNESS_API_TOKEN, else FH_AUTH_TOKEN, else where bridle start --token keeps it.
On a terminal it speaks to people; when piped, or with --json, in JSON lines.`
}

export const commandHelp = (name: string, { argumentNames, summary, options, notes }: CliCommand): string => {
  const rows = Object.entries(options).map(([flag, { short, value, help, multiple }]): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`,
    help,
  ])
  const head = `bridle ${[name, ...argumentNames, ...(rows.length > 0 ? ['[options]'] : [])].join(' ')}: ${summary}`
  return [head, ...(rows.length > 0 ? [columns(rows)] : []), ...(notes === undefined ? [] : [notes])].join('\n\n')
}

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n')
}
