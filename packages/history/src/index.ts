// The entry `bridle/history`: a session's past, without a server.

export type { LogEntry } from '@bridle/wire/log-entry'
export { ExportError } from './export/export-error.ts'
export type { ExportSession } from './export/export-file.ts'
export type { ExportContent, ExportedSession, ReadExportOptions } from './export/export-reader.ts'
export { readExport } from './export/read-export.ts'
export { History, type HistorySession, type SessionAt } from './history.ts'
export { HistoryError, type HistoryProblem } from './history-error.ts'
export { historyOf, type SessionLog } from './lineage.ts'
