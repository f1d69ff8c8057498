// The commands that follow `bridle init`, in the order in which a person types them.
import { shellWord } from '../terminal/shell-word.ts'
import type { PackageSource } from './package-source.ts'
import type { TemplateName } from './templates.ts'

export interface NextStepsOptions {
  /** The folder of the project as seen from here; empty = it is this one. */
  readonly where: string
  readonly template: TemplateName
  readonly source: PackageSource
  /** `npm_config_user_agent`, in which npm names the Node that runs it. */
  readonly userAgent: string | undefined
}

export const nextSteps = ({ where, template, source, userAgent = '' }: NextStepsOptions): string[] => [
  ...(where === '' ? [] : [`cd ${shellWord(where)}`]),
  source.kind === 'unknown' ? `npm install PATH/bridle-${source.version}.tgz` : 'npm install',
  // A checkout brings a Node of its own, which this command runs on. The project would run on the person's.
  ...(isTooOld(userAgent) ? ['npm install --save-dev node@24'] : []),
  ...SETTINGS[template],
  'npm run dev',
]

/** Steps of a template that does nothing of its own before its settings are filled in. */
const SETTINGS: { readonly [template in TemplateName]: readonly string[] } = {
  agent: [],
  chat: [],
  claude: ['cp .env.example .env   # then write your ANTHROPIC_API_KEY and REPOSITORY into .env'],
}

/** Older than 22.18, which runs TypeScript as it is. */
const isTooOld = (userAgent: string): boolean => {
  const [, major, minor] = /\bnode\/v(\d+)\.(\d+)/.exec(userAgent)?.map(Number) ?? []
  return major !== undefined && minor !== undefined && (major < 22 || (major === 22 && minor < 18))
}
