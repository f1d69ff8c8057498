export * from '@bridle/runners/index'
