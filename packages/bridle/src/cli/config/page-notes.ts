// A page of the project that is not built yet: the address that the start prints for it shows nothing.
import { missingPageText } from '../../targets/node/http/app-files.ts'
import type { ServerOptions } from '../../targets/node/index.ts'

/** A line about the folder of the setting `cockpit`, where it has no page. */
export const pageNotes = ({ cockpit }: Pick<ServerOptions, 'cockpit'>): readonly string[] => {
  const problem = typeof cockpit === 'string' ? missingPageText(cockpit) : null
  return problem === null ? [] : [problem]
}
