// Loads files of a project as long as the work runs, but none that waits for a person.
import { projectModules } from '../project-modules.ts'
import { trustedFiles } from './trusted-files.ts'

/** `data` is the data folder, which has the digests. A server that is open in this process has its own guard. */
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
