// Changes of a session that a server in the folder of the person would load, and that are better looked at before: they would run
// outside of any sandbox.
import { join, sep } from 'node:path'
import { isProtected, protectedPlaces } from '../../runners/sandboxes/protection/protected-places.ts'
import { AGENT_FOLDERS } from '../../runners/sandboxes/protection/server-projects.ts'
import type { ChangedFile } from './change-plan.ts'

/** `source` is the folder that the session began with, `top` that of its repository. */
export const loadedFiles = (changed: readonly ChangedFile[], source: string, top: string): readonly ChangedFile[] => {
  const agents = AGENT_FOLDERS.map((name) => join(source, name))
  const places = protectedPlaces(top, [{ root: source, agents }])
  return changed.filter(({ path }) => {
    const name = Buffer.from(path, 'latin1').toString()
    return name.split('/').some(isSettingsName) || isProtected(places, join(top, name.replaceAll('/', sep)))
  })
}

/** Names that a server reads in any folder in which it is started, also in one that is no project yet. */
const isSettingsName = (name: string): boolean => /^(\.env|bridle\.config\.|\.bridle$|\.fabricharness$)/i.test(name)
