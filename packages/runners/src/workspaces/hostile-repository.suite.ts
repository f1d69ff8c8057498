// A repository that names a program wherever git lets it. Each program leaves a file with its name in `ran`.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const HOOKS = [
  'reference-transaction',
  'post-checkout',
  'post-index-change',
  'pre-commit',
  'post-commit',
  'update',
  'pre-auto-gc',
  'fsmonitor-watchman',
]

export interface HostileRepository {
  readonly top: string
  /** The programs that were started. */
  readonly ran: () => string[]
  readonly git: (...args: string[]) => string
}

export const hostileRepository = (top: string): HostileRepository => {
  const ran = `${top}.ran`
  mkdirSync(ran, { recursive: true })
  mkdirSync(join(top, 'src'), { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', top, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '--quiet')
  writeFileSync(join(top, 'src/a.txt'), 'committed\r\n')
  writeFileSync(join(top, 'src/.env'), 'KEY=committed')
  writeFileSync(join(top, '.gitattributes'), '* filter=evil diff=evil merge=evil\n')
  writeFileSync(
    join(top, '.gitmodules'),
    `[submodule "sub"]\n\tpath = sub\n\turl = ${top}\n\tupdate = !touch ${ran}/submodule\n`,
  )
  symlinkSync('/etc/passwd', join(top, 'out'))
  git('add', '.')
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
  git('commit', '--quiet', '-m', 'one')

  const program = (name: string) => `sh -c 'env > ${ran}/${name}; cat' --`
  const hooks = (folder: string, kind: string) => {
    mkdirSync(folder, { recursive: true })
    for (const hook of HOOKS) {
      writeFileSync(join(folder, hook), `#!/bin/sh\nenv > ${ran}/${kind}-${hook}\n`)
      chmodSync(join(folder, hook), 0o755)
    }
  }
  hooks(join(top, '.git/hooks'), 'usual')
  hooks(`${top}.hooks`, 'configured')
  const included = `${top}.included`
  writeFileSync(
    included,
    `[core]\n\thooksPath = ${top}.hooks\n\tfsmonitor = ${ran}.sh\n[filter "evil"]\n\tsmudge = ${program('included-smudge')}\n`,
  )
  writeFileSync(`${ran}.sh`, `#!/bin/sh\nenv > ${ran}/fsmonitor\n`)
  chmodSync(`${ran}.sh`, 0o755)
  const settings: [string, string][] = [
    ['include.path', included],
    ['core.sshCommand', program('ssh')],
    ['core.gitProxy', program('proxy')],
    ['core.pager', program('pager')],
    ['core.editor', program('editor')],
    ['core.askPass', `${ran}.sh`],
    ['core.alternateRefsCommand', program('alternates')],
    ['core.attributesFile', join(top, '.gitattributes')],
    ['credential.helper', `!${program('credential')}`],
    ['diff.external', program('external-diff')],
    ['diff.evil.textconv', program('textconv')],
    ['diff.evil.command', program('diff')],
    ['merge.evil.driver', program('merge')],
    ['filter.evil.smudge', program('smudge')],
    ['filter.evil.clean', program('clean')],
    ['filter.evil.process', program('process')],
    ['filter.evil.required', 'true'],
    ['alias.worktree', `!${program('alias')}`],
    ['alias.rev-parse', `!${program('alias')}`],
    ['core.repositoryFormatVersion', '1'],
    ['extensions.worktreeConfig', 'true'],
    ['submodule.recurse', 'true'],
    ['protocol.ext.allow', 'always'],
  ]
  // Written as git writes them: a start of git for each takes longer than the test.
  appendFileSync(join(top, '.git/config'), settings.map(configLines).join(''))
  writeFileSync(
    join(top, '.git/config.worktree'),
    `[core]\n\thooksPath = ${top}.hooks\n[http]\n\textraHeader = TOKEN\n[filter "evil"]\n\tsmudge = ${program('worktree-smudge')}\n`,
  )
  return { top, git, ran: () => readdirSync(ran).sort() }
}

/** A setting, such as `filter.evil.clean`, as a section of a settings file. */
const configLines = ([name, value]: readonly [string, string]): string => {
  const [section, ...rest] = name.split('.')
  const key = rest.pop()
  const subsection = rest.length > 0 ? ` "${rest.join('.')}"` : ''
  return `[${section}${subsection}]\n\t${key} = ${JSON.stringify(value)}\n`
}
