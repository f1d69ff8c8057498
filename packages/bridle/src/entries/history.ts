export * from '@bridle/history/index'
