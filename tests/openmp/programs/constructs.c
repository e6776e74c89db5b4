/* constructs DIRECTORY [NAME...]: uses the constructs of OpenMP, all or those named, on any number of ranks.
 * Prints what does not depend on timing. Writes DIRECTORY/counts.RANK after MPI_Finalize: lines "NAME COUNT"
 * of what the program did, as it counted itself. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS, REGIONS, BARRIERS, TASKS, CRITICALS, LOCKS, TASKWAITS, TASKGROUPS, COUNTERS };
static const char* const names[] = {"parts",     "regions", "barriers",  "tasks",
                                    "criticals", "locks",   "taskwaits", "taskgroups"};
static long counts[COUNTERS];
static long sum; /* the result */

static void count(int what) {
#pragma omp atomic
    ++counts[what];
}
static void add(long value) {
#pragma omp atomic
    sum += value;
}

static void loops(void) {
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
#pragma omp for schedule(static)
        for (int i = 0; i < 40; ++i) add(i);
        count(BARRIERS);
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 40; ++i) add(i);
        count(BARRIERS);
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 40; ++i) add(i);
#pragma omp for schedule(runtime)
        for (unsigned long long i = 0; i < 40; ++i) add((long)i);
        count(BARRIERS);
        count(BARRIERS);
#pragma omp barrier
    }
    ++counts[REGIONS];
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 40; ++i) {
        add(i);
        /* The parts are those of the team. */
        if (i == 0) {
#pragma omp atomic
            counts[PARTS] += omp_get_num_threads();
        }
    }
}

static void others(void) {
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
#pragma omp sections
        {
#pragma omp section
            add(1);
#pragma omp section
            add(2);
#pragma omp section
            add(3);
        }
        count(BARRIERS);
#pragma omp single
        add(4);
        count(BARRIERS);
#pragma omp master
        add(5);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 12; ++i) {
#pragma omp ordered
            add(i);
        }
        count(BARRIERS);
    }
}

static void exclusion(void) {
    omp_lock_t first, second;
    omp_init_lock(&first);
    omp_init_lock(&second);
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
        for (int i = 0; i < 10; ++i) {
#pragma omp critical
            {
                add(1);
                count(CRITICALS);
            }
#pragma omp critical(named)
            {
                add(2);
                count(CRITICALS);
            }
            /* Not given back in the order of a stack, and held over a construct. */
            omp_set_lock(&first);
            count(LOCKS);
            omp_set_lock(&second);
            count(LOCKS);
            omp_unset_lock(&first);
#pragma omp critical
            {
                add(1);
                count(CRITICALS);
            }
            omp_unset_lock(&second);
            if (omp_test_lock(&first)) {
                count(LOCKS);
                omp_unset_lock(&first);
            }
        }
        omp_nest_lock_t own;
        omp_init_nest_lock(&own);
        omp_set_nest_lock(&own);
        count(LOCKS);
#pragma omp barrier
        count(BARRIERS);
        omp_unset_nest_lock(&own);
        omp_destroy_nest_lock(&own);
    }
    omp_destroy_lock(&first);
    omp_destroy_lock(&second);
}

static long fibonacci(int n) {
    if (n < 2) return n;
    long a, b;
    count(TASKS);
#pragma omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1);
    count(TASKS);
#pragma omp task shared(b) firstprivate(n) if (n > 4)
    b = fibonacci(n - 2);
    count(TASKWAITS);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    int chain = 0;
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
#pragma omp single
        {
            add(fibonacci(12));
            for (int i = 0; i < 20; ++i) {
                count(TASKS);
#pragma omp task depend(inout : chain) firstprivate(i)
                chain = chain * 3 % 1001 + i;
            }
            count(TASKWAITS);
#pragma omp taskwait
            add(chain);
            count(TASKGROUPS);
#pragma omp taskgroup
            for (int i = 0; i < 10; ++i) {
                count(TASKS);
#pragma omp task firstprivate(i)
                add(i);
            }
        }
        count(BARRIERS);
    }
}

/* How many tasks a taskloop makes, and how often untied tasks go on, is the runtime's choice. */
static void free_tasks(void) {
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
#pragma omp single nowait
        {
            for (int i = 0; i < 20; ++i) {
#pragma omp task untied firstprivate(i)
                {
                    add(i);
#pragma omp taskyield
#pragma omp task untied
                    add(1);
#pragma omp taskwait
                    add(i);
                }
            }
#pragma omp taskloop grainsize(7)
            for (int i = 0; i < 100; ++i) add(i);
        }
    }
}

static void nested(void) {
    omp_set_max_active_levels(3);
    ++counts[REGIONS];
#pragma omp parallel num_threads(2)
    {
        count(PARTS);
        count(REGIONS);
#pragma omp parallel num_threads(2)
        {
            count(PARTS);
#pragma omp barrier
            count(BARRIERS);
            add(1);
        }
    }
    omp_set_max_active_levels(1);
}

static void changing(void) {
    for (int threads = 1; threads <= 4; ++threads) {
        ++counts[REGIONS];
#pragma omp parallel num_threads(threads)
        {
            count(PARTS);
            add(omp_get_thread_num());
        }
    }
    omp_set_dynamic(1);
    ++counts[REGIONS];
#pragma omp parallel
    count(PARTS);
    omp_set_dynamic(0);
}

static void short_regions(void) {
    for (int i = 0; i < 1000; ++i) {
        ++counts[REGIONS];
#pragma omp parallel
        count(PARTS);
    }
}

/* Needs OMP_CANCELLATION=true; otherwise all of it is done. */
static void cancelled(void) {
    ++counts[REGIONS];
#pragma omp parallel
    {
        count(PARTS);
#pragma omp for
        for (int i = 0; i < 1000; ++i) {
            if (i == 3) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp single
#pragma omp taskgroup
        for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(i)
            {
                if (i == 5) {
#pragma omp cancel taskgroup
                }
            }
        }
    }
}

/* Without a parallel region. */
static void serial(void) {
#pragma omp critical
    {
        add(1);
        count(CRITICALS);
    }
}

#if defined _OPENMP && _OPENMP >= 201811
/* Without a parallel region; the bodies end before the tasks do. */
static void detached(void) {
    for (int i = 0; i < 20; ++i) {
        omp_event_handle_t event = (omp_event_handle_t)0;
        count(TASKS);
#pragma omp task detach(event) firstprivate(i)
        add(i);
        omp_fulfill_event(event);
    }
}

/* The runtime ends, and begins again at the next region. */
static void paused(void) {
    omp_pause_resource_all(omp_pause_hard);
    changing();
}
#endif

struct Part {
    const char* name;
    void (*run)(void);
};
static const struct Part parts[] = {
    {"loops", loops},           {"others", others},
    {"exclusion", exclusion},   {"tasks", tasks},
    {"free_tasks", free_tasks}, {"nested", nested},
    {"changing", changing},     {"short_regions", short_regions},
    {"cancelled", cancelled},   {"serial", serial},
#if defined _OPENMP && _OPENMP >= 201811
    {"detached", detached},     {"paused", paused},
#endif
};

static int is_wanted(const char* name, int argc, char** argv) {
    if (argc <= 2)
        return strcmp(name, "cancelled") != 0 && strcmp(name, "detached") != 0 && strcmp(name, "paused") != 0;
    for (int i = 2; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return 1;
    return 0;
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (is_wanted(parts[i].name, argc, argv)) parts[i].run();
    printf("sum %ld\n", sum);
    MPI_Finalize();
    if (argc < 2) return 2;
    char path[4096];
    snprintf(path, sizeof path, "%s/counts.%d", argv[1], rank);
    FILE* file = fopen(path, "w");
    if (!file) return 1;
    for (int i = 0; i < COUNTERS; ++i) fprintf(file, "%s %ld\n", names[i], counts[i]);
    return fclose(file) == 0 ? 0 : 1;
}
