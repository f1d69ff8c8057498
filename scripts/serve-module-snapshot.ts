// Loaded ahead of a program by the arguments `fromSource`.
import { SNAPSHOT_FOLDER, serveSnapshot } from './module-snapshot.ts'

const { [SNAPSHOT_FOLDER]: folder } = process.env
if (folder) serveSnapshot(folder)
