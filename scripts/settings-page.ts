// The tables of docs/settings.md, from the table of settings.
import { type Setting, type SettingTarget, settingRows, variablesOf } from '@bridle/server/settings'

type Row = readonly [name: string, row: Setting]
type Column = readonly [title: string, cell: (row: Row) => string]

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
const isOption = ([name]: Row): boolean => /^[a-z]/.test(name)

const flag: Column = ['flag', ([, row]) => code(row.flag?.split(' ', 1) ?? [])]
const environment: Column = ['environment', (row) => code(variablesOf(row))]
const option: Column = ['config', (row) => (isOption(row) ? code([row[0]]) : '')]
const rest: readonly Column[] = [
  ['default', ([, row]) => row.default ?? ''],
  ['meaning', ([, { doc, rule }]) => (rule === undefined ? doc : `${doc} (${rule})`)],
]

/** Tables by the name of their marker. A Worker takes most options of a server, and is shown with what it has alone. */
const tables: { readonly [target in SettingTarget]: readonly Column[] } = {
  node: [flag, environment, option, ...rest],
  cli: [flag, environment, ...rest],
  runner: [flag, environment, ...rest],
  cloudflare: [environment, option, ...rest],
}

const tableOf = (target: SettingTarget): string => {
  const columns = tables[target]
  const rows = settingRows.filter(
    ([, { on }]) => on.includes(target) && (target !== 'cloudflare' || !on.includes('node')),
  )
  const lines = [
    columns.map(([title]) => title),
    columns.map(() => '---'),
    ...rows.map((row) => columns.map(([, cell]) => cell(row))),
  ]
  return lines.map((cells) => `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`).join('\n')
}

const shared = (): string =>
  code(
    settingRows
      .filter(
        (row) => isOption(row) && ['node', 'cloudflare'].every((target) => row[1].on.includes(target as SettingTarget)),
      )
      .map(([name]) => name),
  )

/** The page with its generated parts regenerated. */
export const regenerateSettings = (page: string): string =>
  page.replaceAll(
    /(<!-- settings: (\w+) -->\n).*?(\n<!-- end -->)/gs,
    (_all, begin: string, name: string, end: string) =>
      `${begin}\n${name === 'shared' ? `\`harness()\` takes these options of a server: ${shared()}.` : tableOf(name as SettingTarget)}\n${end}`,
  )
