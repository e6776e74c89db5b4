/* The families around messages: groups, types, packing, info, attributes, errors, operations, memory, the
 * environment. */
#include <string.h>

#include "families.h"

static void environment(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version, subversion, flag;
    double begin = CALL(Wtime);
    CALL(Get_processor_name, text, &length);
    CALL(Get_library_version, text, &length);
    CALL(Get_version, &version, &subversion);
    CALL(Is_thread_main, &flag);
    CALL(Query_thread, &flag);
    EXPECT(version >= 3 && CALL(Wtime) >= begin && CALL(Wtick) > 0);
}

static void groups(MPI_Comm comm) {
    MPI_Group all, first, rest, other;
    int size, result, zero = 0;
    CALL(Comm_group, comm, &all);
    CALL(Group_size, all, &size);
    CALL(Group_incl, all, 1, &zero, &first);
    CALL(Group_excl, all, 1, &zero, &rest);
    CALL(Group_union, first, rest, &other);
    CALL(Group_compare, all, other, &result);
    EXPECT(result == MPI_IDENT);
    CALL(Group_free, &other);
    CALL(Group_intersection, first, rest, &other);
    EXPECT(other == MPI_GROUP_EMPTY);
    CALL(Group_difference, all, first, &other);
    CALL(Group_compare, other, rest, &result);
    EXPECT(result == MPI_IDENT);
    if (size > 1) {
        CALL(Group_free, &other);
        CALL(Group_range_excl, all, 1, (int[1][3]){{1, size - 1, 1}}, &other);
        CALL(Group_compare, other, first, &result);
        EXPECT(result == MPI_IDENT);
        CALL(Group_free, &rest);
        CALL(Group_free, &other);
    }
    CALL(Group_free, &first);
    CALL(Group_free, &all);
}

/* The size of a type that is freed here. */
static int size_of(MPI_Datatype type) {
    int size;
    CALL(Type_commit, &type);
    CALL(Type_size, type, &size);
    CALL(Type_free, &type);
    return size;
}

static void types(void) {
    MPI_Datatype type, copy;
    MPI_Aint lower, extent, places[2] = {0, 8};
    int integers, addresses, types_of, combiner, two[2] = {1, 2};
    CALL(Type_indexed, 2, two, (int[]){0, 4}, MPI_INT, &type);
    EXPECT(size_of(type) == 12);
    CALL(Type_create_indexed_block, 2, 2, (int[]){0, 4}, MPI_INT, &type);
    EXPECT(size_of(type) == 16);
    CALL(Type_create_hindexed, 2, two, places, MPI_INT, &type);
    EXPECT(size_of(type) == 12);
    CALL(Type_create_hindexed_block, 2, 2, places, MPI_INT, &type);
    EXPECT(size_of(type) == 16);
    CALL(Type_create_hvector, 2, 1, 12, MPI_INT, &type);
    CALL(Type_get_extent, type, &lower, &extent);
    EXPECT(lower == 0 && extent == 16);
    CALL(Type_get_true_extent, type, &lower, &extent);
    CALL(Type_get_envelope, type, &integers, &addresses, &types_of, &combiner);
    EXPECT(combiner == MPI_COMBINER_HVECTOR && integers == 2 && addresses == 1 && types_of == 1);
    CALL(Type_dup, type, &copy);
    EXPECT(size_of(copy) == 8 && size_of(type) == 8);
    CALL(Type_create_f90_integer, 9, &type);
    EXPECT(type != MPI_DATATYPE_NULL);
}

static void packing(MPI_Comm comm) {
    char buffer[64];
    int size, place = 0, out[2] = {3, 4}, in[2] = {0, 0};
    MPI_Aint external = 0, bytes;
    CALL(Pack_size, 2, MPI_INT, comm, &size);
    EXPECT(size <= (int)sizeof buffer);
    CALL(Pack, out, 2, MPI_INT, buffer, sizeof buffer, &place, comm);
    place = 0;
    CALL(Unpack, buffer, sizeof buffer, &place, in, 2, MPI_INT, comm);
    EXPECT(in[0] == 3 && in[1] == 4);
    CALL(Pack_external_size, "external32", 2, MPI_INT, &bytes);
    CALL(Pack_external, "external32", out, 2, MPI_INT, buffer, bytes, &external);
    EXPECT(bytes == 8 && external == 8 && buffer[3] == 3);
    external = 0;
    CALL(Unpack_external, "external32", buffer, bytes, &external, in, 2, MPI_INT);
    EXPECT(in[1] == 4);
}

static void info(MPI_Comm comm) {
    MPI_Info info, copy;
    char value[16];
    int flag, length, keys;
    CALL(Info_create, &info);
    CALL(Info_set, info, "some key", "some value");
    CALL(Info_dup, info, &copy);
    CALL(Info_get, copy, "some key", sizeof value - 1, value, &flag);
    EXPECT(flag && strcmp(value, "some value") == 0);
    CALL(Info_get_valuelen, copy, "some key", &length, &flag);
    CALL(Info_get_nkeys, copy, &keys);
    CALL(Info_get_nthkey, copy, 0, value);
    CALL(Info_delete, copy, "some key");
    EXPECT(length == 10 && keys == 1 && strcmp(value, "some key") == 0);
    CALL(Info_free, &copy);
    CALL(Comm_set_info, comm, info);
    CALL(Info_free, &info);
    CALL(Comm_get_info, comm, &info);
    CALL(Info_free, &info);
}

/* The callbacks are called when a communicator is copied and freed. */
static int copy_attribute(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)state;
    *(void**)out = (char*)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value;
    ++*(int*)state;
    return MPI_SUCCESS;
}

static void attributes(MPI_Comm comm) {
    int key, flag, deleted = 0;
    char text[2];
    void* value;
    MPI_Comm copy;
    CALL(Comm_create_keyval, copy_attribute, delete_attribute, &key, &deleted);
    CALL(Comm_set_attr, comm, key, text);
    CALL(Comm_dup, comm, &copy);
    CALL(Comm_get_attr, copy, key, &value, &flag);
    EXPECT(flag && value == text + 1);
    CALL(Comm_free, &copy);
    CALL(Comm_delete_attr, comm, key);
    CALL(Comm_free_keyval, &key);
    EXPECT(deleted == 2);
    CALL(Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    EXPECT(flag && *(int*)value >= 32767);
}

static int errors_seen;
static void see_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++errors_seen;
}

/* A call that fails returns, as without tracing, and its message was not sent. */
static void errors(MPI_Comm comm) {
    MPI_Comm own;
    MPI_Errhandler handler;
    char text[MPI_MAX_ERROR_STRING];
    int class, length, ranks, value = 0;
    CALL(Comm_dup, comm, &own);
    CALL(Comm_size, own, &ranks);
    CALL(Comm_create_errhandler, see_error, &handler);
    CALL(Comm_set_errhandler, own, handler);
    CALL(Comm_call_errhandler, own, MPI_ERR_OTHER);
    EXPECT(errors_seen == 1);
    CALL(Errhandler_free, &handler);
    CALL(Comm_set_errhandler, own, MPI_ERRORS_RETURN);
    CALL(Comm_get_errhandler, own, &handler);
    CALL(Errhandler_free, &handler);
    int code = CALL(Send, &value, 1, MPI_INT, ranks, 0, own);
    CALL(Error_class, code, &class);
    CALL(Error_string, code, text, &length);
    EXPECT(class == MPI_ERR_RANK && length > 0);
    CALL(Comm_free, &own);
    CALL(Add_error_class, &class);
    CALL(Add_error_code, class, &code);
    CALL(Add_error_string, code, "our own");
    CALL(Error_string, code, text, &length);
    EXPECT(strcmp(text, "our own") == 0);
}

static void larger(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i)
        if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

static void operations(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    MPI_Op op;
    int commutes, largest = -1, *memory;
    CALL(Op_create, larger, 1, &op);
    CALL(Op_commutative, op, &commutes);
    CALL(Alloc_mem, sizeof(int), MPI_INFO_NULL, &memory);
    *memory = ring.rank;
    CALL(Allreduce, memory, &largest, 1, MPI_INT, op, comm);
    EXPECT(commutes && largest == ring.ranks - 1);
    CALL(Free_mem, memory);
    CALL(Op_free, &op);
}

static void conversions(MPI_Comm comm) {
    EXPECT(CALL(Comm_f2c, CALL(Comm_c2f, comm)) == comm);
    EXPECT(CALL(Type_f2c, CALL(Type_c2f, MPI_INT)) == MPI_INT);
}

void exercise_others(MPI_Comm comm) {
    environment();
    groups(comm);
    types();
    packing(comm);
    info(comm);
    attributes(comm);
    errors(comm);
    operations(comm);
    conversions(comm);
}
