// The environment of a command: where programs are, a home of its own, and nothing of the server's, which has its keys in there.
import { realpathSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'

export const shellEnvironment = (home: string, tmp: string): Readonly<Record<string, string>> => ({
  PATH: [dirname(realpathSync(process.execPath)), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
  HOME: home,
  TMPDIR: tmp,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  // The files may belong to another user than the one who runs the command; git would refuse to read them.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
})
