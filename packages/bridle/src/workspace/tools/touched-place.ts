// The thing that a call touches: the real path of its file, so that two names of one file are one thing.
import type { ConfinedFolder } from '../files/confined-folder.ts'

export const touchedPlace = (folder: ConfinedFolder, path: string): string[] => {
  try {
    return [folder.placeOf(path).real]
  } catch {
    // The call will fail with the reason, and touches nothing.
    return []
  }
}
