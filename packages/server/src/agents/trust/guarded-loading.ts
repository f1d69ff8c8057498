// Refuses project files that still need a person's confirmation.
import { projectModules } from '../project-modules.ts'
import { trustedFiles } from './trusted-files.ts'

/** `data` is the data folder with the digests. If this process runs a server, its guard stays in place. */
export const withGuard = async <T>(root: string, data: string, work: () => Promise<T>): Promise<T> => {
  const modules = projectModules(root)
  const { guard } = modules
  modules.guard = guard ?? ((path, content) => trustedFiles(data).check(path, content))
  try {
    return await work()
  } finally {
    modules.guard = guard
  }
}
