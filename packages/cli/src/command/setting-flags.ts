import { type Setting, type SettingName, settings, variablesOf } from '@bridle/server/settings'

type Rows = typeof settings
type FlagName<R> = R extends { flag: `--${infer N} ${string}` } ? N : R extends { flag: `--${infer N}` } ? N : never
type FlagOption<R> = { readonly help: string } & (R extends { flag: `${string} ${string}` }
  ? { readonly type: 'string'; readonly value: string } & (R extends { kind: 'list' }
      ? { readonly multiple: true }
      : unknown)
  : { readonly type: 'boolean' })

export const flagsOf = <N extends SettingName>(
  ...names: readonly N[]
): { readonly [K in N as FlagName<Rows[K]>]: FlagOption<Rows[K]> } =>
  Object.fromEntries(names.map((name) => flagOf(name, settings[name]))) as never

const flagOf = (name: string, row: Setting) => {
  const [flag = '', value] = row.flag?.slice(2).split(' ') ?? []
  const option = value === undefined ? { type: 'boolean' } : { type: 'string', value }
  return [flag, { ...option, ...(row.kind === 'list' && { multiple: true }), help: helpOf(name, row) }]
}

const helpOf = (name: string, row: Setting): string => {
  const sources = [...variablesOf([name, row]), ...(row.default ? [row.default] : [])].filter(
    (each) => each !== 'off' && each !== 'none',
  )
  return [row.doc, ...(sources.length > 0 ? [`default: ${sources.join(', else ')}`] : [])]
    .join('; ')
    .replaceAll('`', '')
}

export const dataOptions = flagsOf('data')
export const agentsOptions = flagsOf('agents')
export const serverOptions = flagsOf('port', 'host', 'keepToken', 'store', '--accept', 'agents', 'data')
